// Library: registers a program's operators, their kernels, and classes. Names are LibTorch's.
// <torch/library.h> has the macros.
//
//   TORCH_LIBRARY(my, m) {
//     m.def("scale(Tensor x, float by=2.) -> Tensor");
//   }
//   TORCH_LIBRARY_IMPL(my, CPU, m) { m.impl("scale", scale_cpu); }
#pragma once

#include <string>
#include <vector>

#include <taper/extension/dispatcher.h>

#pragma GCC visibility push(default)

namespace torch::taper {

template <class T>
class class_;

/// A kernel for def() and impl(). It wraps any callable whose C++ types match the schema.
class CppFunction {
 public:
  /// Wraps any callable.
  template <class F, class = std::enable_if_t<!std::is_base_of_v<CppFunction, detail::Bare<F>>>>
  CppFunction(F&& f) : kernel_(detail::make_kernel<std::decay_t<F>>(std::forward<F>(f))) {}
  /// Makes a kernel that passes each call to the kernel of the next key.
  static CppFunction makeFallthrough();
  /// Makes a kernel of a function f(const OperatorHandle&, jit::Stack*), which takes all arguments
  /// from the stack. Between these two parameters, the function may take the call's DispatchKeySet.
  template <auto* f>
  static CppFunction makeFromBoxedFunction() {
    CppFunction function;
    function.kernel_.boxed = [](void*, const OperatorHandle* op,
                                [[maybe_unused]] DispatchKeySet keys, jit::Stack* stack) {
      if constexpr (std::is_invocable_v<decltype(f), const OperatorHandle&, DispatchKeySet,
                                        jit::Stack*>)
        f(*op, keys, stack);
      else
        f(*op, stack);
    };
    return function;
  }
  /// Does nothing. In LibTorch, it adds a text for debugging.
  CppFunction&& debug(std::string /*text*/) && { return std::move(*this); }

 private:
  friend class Library;
  template <class F>
  friend CppFunction dispatch(DispatchKey key, F&& f);
  CppFunction() = default;
  detail::Kernel kernel_;
  optional<DispatchKey> key_;
};

/// Makes a kernel for one key: m.def("f(Tensor x) -> Tensor", dispatch(DispatchKey::CPU, f)).
template <class F>
CppFunction dispatch(DispatchKey key, F&& f) {
  CppFunction function(std::forward<F>(f));
  function.key_ = key;
  return function;
}
/// Makes a kernel for a kind of device.
template <class F>
CppFunction dispatch(DeviceType type, F&& f) {
  TAPER_CHECK(type == kCPU || type == kCUDA, "dispatch: expected the CPU or CUDA, got ", type);
  return dispatch(type == kCPU ? DispatchKey::CPU : DispatchKey::CUDA, std::forward<F>(f));
}

/// Parses a schema.
inline FunctionSchema schema(const std::string& text) { return parseSchema(text); }

/// A set of registrations of a program. The destructor undoes all registrations of the set.
class Library {
 public:
  /// Kinds of libraries.
  enum Kind {
    DEF,      ///< defines the operators of a namespace
    IMPL,     ///< adds kernels to operators, for one key or for several
    FRAGMENT  ///< defines more operators in a namespace that another library (DEF) has opened
  };
  /// Makes an empty library. With kind IMPL, the namespace "_" means all namespaces, for
  /// fallback(). With kind DEF, throws Error if there is already a DEF for `ns`.
  Library(Kind kind, std::string ns, optional<DispatchKey> key, const char* file, uint32_t line);
  /// Takes over the registrations of another Library.
  Library(Library&&) = default;
  Library& operator=(Library&&) = delete;
  ~Library();

  /// Defines an operator without kernels. Use impl() to add kernels.
  Library& def(const char* schema, const std::vector<Tag>& tags = {}) & {
    return def(parseSchema(schema), tags);
  }
  /// Defines an operator with a parsed schema.
  Library& def(FunctionSchema schema, const std::vector<Tag>& tags = {}) &;
  /// Defines an operator with a kernel. The kernel is for all devices, unless `f` comes from
  /// dispatch() with a key. If `name_or_schema` is only a name, the schema is inferred from the C++
  /// function. Throws Error if the schema does not match the function.
  Library& def(const char* name_or_schema, CppFunction f, const std::vector<Tag>& tags = {}) &;
  /// Defines an operator with a parsed schema and a kernel.
  Library& def(FunctionSchema schema, CppFunction f, const std::vector<Tag>& tags = {}) &;
  /// Adds a kernel for the library's key. Throws Error if the kernel's schema differs from the
  /// operator's.
  Library& impl(const char* name, CppFunction f) &;
  /// Sets the kernel of the library's key for all operators that have no kernel for this key.
  Library& fallback(CppFunction f) &;
  /// Registers a class of the program (custom_class.h) as "__torch__.torch.classes.NS.NAME".
  template <class T>
  taper::class_<T> class_(const std::string& name);
  /// Does nothing. In LibTorch, it names a module of Python.
  Library& set_python_module(const char* /*module*/, const char* /*context*/ = "") & {
    return *this;
  }

 private:
  OperatorName full_name(OperatorName name, const char* what) const;
  Library& define(FunctionSchema schema, std::vector<Tag> tags);
  void add(const OperatorName& name, CppFunction f);
  std::string place() const;
  void check_defines(const char* what, const std::string& name) const;

  Kind kind_;
  std::string ns_, place_;
  optional<DispatchKey> key_;
  std::vector<Dispatcher::Undo> undo_;
};

namespace detail {
/// The static object that TORCH_LIBRARY defines. Its library is kept until the program ends.
class TorchLibraryInit {
 public:
  TorchLibraryInit(Library::Kind kind, void (*fill)(Library&), const char* ns,
                   optional<DispatchKey> key, const char* file, uint32_t line)
      : library_(kind, ns, key, file, line) {
    fill(library_);
  }

 private:
  Library library_;
};
}  // namespace detail

// ---------------------------------------------------------------------- older interface
/// Registers operators in LibTorch's older style: static auto registry =
/// RegisterOperators().op("my::scale", &scale);
class RegisterOperators {
 public:
  /// Options of op().
  class Options {
   public:
    /// Sets the name or schema for op(Options).
    Options&& schema(std::string name_or_schema) && {
      schema_ = std::move(name_or_schema);
      return std::move(*this);
    }
    /// Adds a kernel for one key.
    template <class F>
    Options&& kernel(DispatchKey key, F&& f) && {
      kernels_.push_back(dispatch(key, std::forward<F>(f)));
      return std::move(*this);
    }
    /// Adds the function `f`, a template argument, as a kernel for one key.
    template <class Function, Function* f>
    Options&& kernel(DispatchKey key) && {
      return std::move(*this).kernel(key, f);
    }
    /// Adds a kernel for all devices.
    template <class F>
    Options&& catchAllKernel(F&& f) && {
      kernels_.push_back(CppFunction(std::forward<F>(f)));
      return std::move(*this);
    }
    /// Adds the function `f`, a template argument, as a kernel for all devices.
    template <class Function, Function* f>
    Options&& catchAllKernel() && {
      return std::move(*this).catchAllKernel(f);
    }

   private:
    friend class RegisterOperators;
    std::string schema_;
    std::vector<CppFunction> kernels_;
  };
  /// Returns empty options.
  static Options options() { return {}; }

  RegisterOperators() = default;
  /// Registers one operator.
  template <class F>
  RegisterOperators(const std::string& name_or_schema, F&& f) {
    add(name_or_schema, options().catchAllKernel(std::forward<F>(f)));
  }
  /// Takes over the registrations.
  RegisterOperators(RegisterOperators&&) = default;

  /// Registers an operator. Throws Error if the schema does not match the kernel, or if the
  /// operator is already defined.
  template <class F>
  RegisterOperators&& op(const std::string& name_or_schema, F&& f) && {
    if constexpr (std::is_same_v<detail::Bare<F>, Options>)
      add(name_or_schema, std::forward<F>(f));
    else
      add(name_or_schema, options().catchAllKernel(std::forward<F>(f)));
    return std::move(*this);
  }
  /// Registers an operator with the name or schema of the options.
  RegisterOperators&& op(Options&& o) && {
    const std::string text = o.schema_;
    add(text, std::move(o));
    return std::move(*this);
  }
  /// Defines an operator without a kernel.
  RegisterOperators&& op(const std::string& schema) && {
    add(schema, options());
    return std::move(*this);
  }

 private:
  void add(const std::string& name_or_schema, Options o);
  std::vector<Library> libraries_;
};

}  // namespace torch::taper

#pragma GCC visibility pop
