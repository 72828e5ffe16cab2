// class_: registers a program's classes. Operators can then take objects of these classes, and
// IValues can hold such objects. Names are LibTorch's.
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
/// A method of a registered class. It takes the object first, then the arguments.
class Function {
 public:
  /// Makes a method. `schema` must be the schema of `kernel`.
  Function(FunctionSchema schema, detail::Kernel kernel)
      : schema_(std::move(schema)), kernel_(std::move(kernel)) {}
  /// Returns the method's name.
  const std::string& name() const { return schema_.name(); }
  /// Returns the schema: arguments and results, without names.
  const FunctionSchema& getSchema() const { return schema_; }
  /// Takes the arguments from the stack, and pushes the result. A method without a result pushes
  /// None. Throws Error if an argument has another type.
  void run(Stack& stack) const;
  /// Calls the method and returns the result.
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
  /// Makes a class with the full name `name` and without methods, which is not registered. Use
  /// class_ to register a class.
  explicit ClassType(std::string name) : name_(std::move(name)) {}
  /// Returns the full name, "__torch__.torch.classes.NS.NAME".
  const std::string& str() const { return name_; }
  /// Returns str().
  const std::string& repr_str() const { return name_; }
  /// Returns str().
  const std::string& annotation_str() const { return name_; }
  /// Returns the method, or null if there is none.
  const jit::Function* findMethod(const std::string& name) const { return find(methods_, name); }
  /// Returns the static method, which takes no object, or null if there is none.
  const jit::Function* findStaticMethod(const std::string& name) const {
    return find(static_methods_, name);
  }
  /// Returns the method. Throws Error if the class has no method with this name.
  const jit::Function& getMethod(const std::string& name) const;
  /// Returns the getter of a property, or null if there is none.
  const jit::Function* findGetter(const std::string& name) const { return find(getters_, name); }
  /// Returns the setter of a property, or null if it is read-only or does not exist.
  const jit::Function* findSetter(const std::string& name) const { return find(setters_, name); }

 private:
  template <class T>
  friend class class_;
  using Functions = std::map<std::string, jit::Function>;
  static const jit::Function* find(const Functions& all, const std::string& name) {
    const auto at = all.find(name);
    return at == all.end() ? nullptr : &at->second;
  }
  /// Adds a function. Throws Error if `to` already has a function with this name.
  void add(Functions& to, const std::string& name, detail::Kernel kernel);

  std::string name_;
  Functions methods_, static_methods_, getters_, setters_;
};
/// A shared pointer to a ClassType.
using ClassTypePtr = std::shared_ptr<ClassType>;

namespace detail {
/// Registers the class `type` as `name` in namespace `ns`. Throws Error if the name is registered
/// already.
ClassTypePtr add_class(const std::string& ns, const std::string& name, const std::type_info& type);

/// Calls a method of T or of a base class of T.
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

/// Selects the constructor that takes these types, for class_::def.
template <class... Args>
detail::InitTypes<Args...> init() {
  return {};
}
/// Selects a function that constructs the object, for class_::def.
template <class F>
detail::InitFunction<std::decay_t<F>> init(F&& f) {
  return {std::forward<F>(f)};
}

/// Returns the ClassType of the class `type`. Throws Error if the class is not registered.
ClassTypePtr getCustomClassType(const std::type_info& type);
/// Returns the ClassType of the class T. Throws Error if the class is not registered.
template <class T>
ClassTypePtr getCustomClassType() {
  return getCustomClassType(typeid(T));
}
/// Returns the class with this full name, or null if there is none.
ClassTypePtr getCustomClass(const std::string& full_name);

/// Makes an object of a registered class. Throws Error if T is not registered.
template <class T, class... Args>
IValue make_custom_class(Args&&... args) {
  getCustomClassType(typeid(T));
  return IValue(make_intrusive<T>(std::forward<Args>(args)...));
}

/// Registers the class T, which inherits from CustomClassHolder, until the program ends. A method
/// is a member function, or a function whose first argument is the object.
template <class T>
class class_ {
 public:
  /// Registers the class. Throws Error if the name is registered already.
  class_(const std::string& ns, const std::string& name, std::string /*doc*/ = "")
      : type_(detail::add_class(ns, name, typeid(T))) {
    static_assert(std::is_base_of_v<intrusive_ptr_target, T>,
                  "torch::class_<T> requires T to inherit from CustomClassHolder");
  }

  /// Defines "__init__", a static method that returns a new object, made by the constructor with
  /// parameters Args.
  template <class... Args>
  class_& def(detail::InitTypes<Args...>, std::string /*doc*/ = "") {
    return def_static("__init__",
                      [](Args... args) { return make_intrusive<T>(std::forward<Args>(args)...); });
  }
  /// Defines "__init__" with a function that makes the object.
  template <class F>
  class_& def(detail::InitFunction<F> f, std::string /*doc*/ = "") {
    using Signature = typename detail::SignatureOf<F>::type;
    return def_static("__init__", detail::Initializer<T, F, Signature>{std::move(f.make)});
  }
  /// Defines a method. `f` is a member function, or a function that takes the object first.
  template <class F>
  class_& def(const std::string& name, F f, std::string /*doc*/ = "") {
    type_->add(type_->methods_, name, detail::make_kernel(method(std::move(f))));
    return *this;
  }
  /// Defines a static method, which takes no object.
  template <class F>
  class_& def_static(const std::string& name, F f, std::string /*doc*/ = "") {
    type_->add(type_->static_methods_, name, detail::make_kernel(std::move(f)));
    return *this;
  }
  /// Defines a read-only property.
  template <class Get>
  class_& def_property(const std::string& name, Get get, std::string /*doc*/ = "") {
    type_->add(type_->getters_, name, detail::make_kernel(method(std::move(get))));
    return *this;
  }
  /// Defines a property with getter and setter.
  template <class Get, class Set,
            class = std::enable_if_t<!std::is_convertible_v<Set, std::string>>>
  class_& def_property(const std::string& name, Get get, Set set, std::string doc = "") {
    def_property(name, std::move(get), std::move(doc));
    type_->add(type_->setters_, name, detail::make_kernel(method(std::move(set))));
    return *this;
  }
  /// Defines a field as a read-only property.
  template <class V>
  class_& def_readonly(const std::string& name, V T::*field) {
    return def_property(name, [field](const intrusive_ptr<T>& self) { return (*self).*field; });
  }
  /// Defines a field as a property.
  template <class V>
  class_& def_readwrite(const std::string& name, V T::*field) {
    return def_property(
        name, [field](const intrusive_ptr<T>& self) { return (*self).*field; },
        [field](const intrusive_ptr<T>& self, V v) { (*self).*field = std::move(v); });
  }
  /// Defines the method "__getstate__" and the static method "__setstate__".
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
