// class_: a program's classes, whose objects operators take and IValues hold. Names are LibTorch's.
//
//   m.class_<Stack>("Stack").def(torch::init<int64_t>()).def("push", &Stack::push);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <taper/extension/library.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace jit {
/// A method of a registered class. Takes the object, then its arguments.
class Function {
 public:
  /// The schema must be that of the kernel.
  Function(FunctionSchema schema, detail::Kernel kernel)
      : schema_(std::move(schema)), kernel_(std::move(kernel)) {}
  /// The method's name.
  const std::string& name() const { return schema_.name(); }
  /// Its arguments and results, without names.
  const FunctionSchema& getSchema() const { return schema_; }
  /// Takes the arguments from the stack and leaves the result there, None where it has none. Throws
  /// Error for values of other types.
  void run(Stack& stack) const;
  /// The same; returns the result.
  IValue operator()(Stack stack) const {
    run(stack);
    return stack.at(0);
  }

 private:
  FunctionSchema schema_;
  detail::Kernel kernel_;
};
}  // namespace jit

/// A registered class.
class ClassType {
 public:
  /// Of this full name, without methods. class_ makes registered ones.
  explicit ClassType(std::string name) : name_(std::move(name)) {}
  /// "__torch__.torch.classes.NS.NAME".
  const std::string& str() const { return name_; }
  /// The same.
  const std::string& repr_str() const { return name_; }
  /// The same.
  const std::string& annotation_str() const { return name_; }
  /// Null where there is none.
  const jit::Function* findMethod(const std::string& name) const { return find(methods_, name); }
  /// Null where there is none; takes no object.
  const jit::Function* findStaticMethod(const std::string& name) const {
    return find(static_methods_, name);
  }
  /// Throws Error where there is none.
  const jit::Function& getMethod(const std::string& name) const;
  /// How a property is read; null where there is none.
  const jit::Function* findGetter(const std::string& name) const { return find(getters_, name); }
  /// How a property is written; null where that cannot be had.
  const jit::Function* findSetter(const std::string& name) const { return find(setters_, name); }

 private:
  template <class T>
  friend class class_;
  using Functions = std::map<std::string, jit::Function>;
  static const jit::Function* find(const Functions& all, const std::string& name) {
    const auto at = all.find(name);
    return at == all.end() ? nullptr : &at->second;
  }
  /// Throws Error where the class has one of that name.
  void add(Functions& to, const std::string& name, detail::Kernel kernel);

  std::string name_;
  Functions methods_, static_methods_, getters_, setters_;
};
/// A class, shared by those who have asked for it.
using ClassTypePtr = std::shared_ptr<ClassType>;

namespace detail {
/// Throws Error where the name is registered already.
ClassTypePtr add_class(const std::string& ns, const std::string& name, const std::type_info& type);

/// Calls a method, which may be one of a base class.
template <class T, class Method, class Signature>
struct MethodCaller;
template <class T, class Method, class R, class... Args>
struct MethodCaller<T, Method, R(Args...)> {
  Method method;
  R operator()(const intrusive_ptr<T>& self, Args... args) const {
    return ((*self).*method)(std::forward<Args>(args)...);
  }
};
template <class T, class Make, class Signature>
struct Initializer;
template <class T, class Make, class R, class... Args>
struct Initializer<T, Make, R(Args...)> {
  Make make;
  intrusive_ptr<T> operator()(Args... args) const { return make(std::forward<Args>(args)...); }
};
template <class... Args>
struct InitTypes {};
template <class F>
struct InitFunction {
  F make;
};
}  // namespace detail

/// The constructor that takes these, for class_::def.
template <class... Args>
detail::InitTypes<Args...> init() {
  return {};
}
/// A function that makes the object.
template <class F>
detail::InitFunction<std::decay_t<F>> init(F&& f) {
  return {std::forward<F>(f)};
}

/// The type under which T is registered. Throws Error where it is not.
ClassTypePtr getCustomClassType(const std::type_info& type);
/// The same.
template <class T>
ClassTypePtr getCustomClassType() {
  return getCustomClassType(typeid(T));
}
/// The class of this full name; null where there is none.
ClassTypePtr getCustomClass(const std::string& full_name);

/// A new object of a registered class. Throws Error where T is not registered.
template <class T, class... Args>
IValue make_custom_class(Args&&... args) {
  getCustomClassType(typeid(T));
  return IValue(make_intrusive<T>(std::forward<Args>(args)...));
}

/// Registers the class T, which inherits from CustomClassHolder, for as long as the program runs.
/// Methods are members, or functions whose first argument is the object.
template <class T>
class class_ {
 public:
  /// Throws Error where the name is registered already.
  class_(const std::string& ns, const std::string& name, std::string /*doc*/ = "")
      : type_(detail::add_class(ns, name, typeid(T))) {
    static_assert(std::is_base_of_v<intrusive_ptr_target, T>,
                  "torch::class_<T> requires T to inherit from CustomClassHolder");
  }

  /// "__init__": here a static method, which returns the object.
  template <class... Args>
  class_& def(detail::InitTypes<Args...>, std::string /*doc*/ = "") {
    return def_static("__init__",
                      [](Args... args) { return make_intrusive<T>(std::forward<Args>(args)...); });
  }
  /// The same with a function that makes the object.
  template <class F>
  class_& def(detail::InitFunction<F> f, std::string /*doc*/ = "") {
    using Signature = typename detail::SignatureOf<F>::type;
    return def_static("__init__", detail::Initializer<T, F, Signature>{std::move(f.make)});
  }
  /// A method: a member, or a function that takes the object first.
  template <class F>
  class_& def(const std::string& name, F f, std::string /*doc*/ = "") {
    type_->add(type_->methods_, name, detail::make_kernel(method(std::move(f))));
    return *this;
  }
  /// A method without an object.
  template <class F>
  class_& def_static(const std::string& name, F f, std::string /*doc*/ = "") {
    type_->add(type_->static_methods_, name, detail::make_kernel(std::move(f)));
    return *this;
  }
  /// A property that can be read.
  template <class Get>
  class_& def_property(const std::string& name, Get get, std::string /*doc*/ = "") {
    type_->add(type_->getters_, name, detail::make_kernel(method(std::move(get))));
    return *this;
  }
  /// A property that can be read and written.
  template <class Get, class Set,
            class = std::enable_if_t<!std::is_convertible_v<Set, std::string>>>
  class_& def_property(const std::string& name, Get get, Set set, std::string doc = "") {
    def_property(name, std::move(get), std::move(doc));
    type_->add(type_->setters_, name, detail::make_kernel(method(std::move(set))));
    return *this;
  }
  /// A field, to be read.
  template <class V>
  class_& def_readonly(const std::string& name, V T::*field) {
    return def_property(name, [field](const intrusive_ptr<T>& self) { return (*self).*field; });
  }
  /// A field, to be read and written.
  template <class V>
  class_& def_readwrite(const std::string& name, V T::*field) {
    return def_property(
        name, [field](const intrusive_ptr<T>& self) { return (*self).*field; },
        [field](const intrusive_ptr<T>& self, V v) { (*self).*field = std::move(v); });
  }
  /// "__getstate__" and "__setstate__", as methods.
  template <class Get, class Set>
  class_& def_pickle(Get get, Set set) {
    def("__getstate__", std::move(get));
    return def_static("__setstate__", std::move(set));
  }

 private:
  template <class F>
  static auto method(F f) {
    if constexpr (std::is_member_function_pointer_v<F>)
      return detail::MethodCaller<T, F, typename detail::SignatureOf<F>::type>{f};
    else
      return f;
  }
  ClassTypePtr type_;
};

template <class T>
taper::class_<T> Library::class_(const std::string& name) {
  check_defines("class_", name);
  return taper::class_<T>(ns_, name);
}

}  // namespace torch::taper

#pragma GCC visibility pop
