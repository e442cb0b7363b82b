// A Python module of the tests: an array of Sinter's that NumPy, CuPy and PyTorch take by DLPack, and that takes theirs. Against the
// limited API, so that one file is for every Python 3.
#define Py_LIMITED_API 0x03080000
#include <Python.h>

#include <cstring>
#include <new>
#include <utility>

#include <sinter/dlpack.hpp>
#include <sinter/sinter.hpp>

namespace {

namespace sn = sinter;
using unversioned = sn::dlpack::DLManagedTensor;
using versioned = sn::dlpack::DLManagedTensorVersioned;

constexpr const char *old_name = "dltensor", *new_name = "dltensor_versioned";

int ends = 0;  // of tensors that were taken, as the test asks

/// What Python sees: an array of doubles.
struct array_object {
  PyObject_HEAD sn::array<double> values;
};

PyTypeObject* array_type = nullptr;

sn::array<double>& values_of(PyObject* self) { return reinterpret_cast<array_object*>(self)->values; }

PyObject* made(sn::array<double> values) {
  auto* const alloc = reinterpret_cast<allocfunc>(PyType_GetSlot(array_type, Py_tp_alloc));
  PyObject* const self = alloc(array_type, 0);
  if (self) new (&values_of(self)) sn::array<double>(std::move(values));
  return self;
}

void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  values_of(self).~array();
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

template <class F>
PyObject* guarded(F f) {
  try {
    return f();
  } catch (const sn::error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return nullptr;
  }
}

// A capsule that nobody took is destroyed with its tensor.
template <class M>
void destroy(PyObject* capsule) {
  const char* const name = std::is_same_v<M, versioned> ? new_name : old_name;
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* const m = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  m->deleter(m);
}

// The stream that the consumer names: 1 is the legacy default one, as 0 is not said.
sn::stream stream_of(PyObject* given) {
  const long long number = PyLong_AsLongLong(given);
  return number <= 1 ? sn::stream::null() : sn::stream::from_external(reinterpret_cast<void*>(number));
}

bool on_gpu() { return sn::device::current().type() == sn::device::kind::cuda; }

PyObject* dlpack(PyObject* self, PyObject* args, PyObject* named) {
  PyObject *on = Py_None, *most = Py_None, *device = Py_None, *copy = Py_None;
  char* names[] = {const_cast<char*>("stream"), const_cast<char*>("max_version"), const_cast<char*>("dl_device"),
                   const_cast<char*>("copy"), nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, named, "|OOOO", names, &on, &most, &device, &copy)) return nullptr;
  long major = 0;
  if (most != Py_None) {
    PyObject* const first = PySequence_GetItem(most, 0);
    if (!first) return nullptr;
    major = PyLong_AsLong(first);
    Py_DECREF(first);
  }
  return guarded([&] {
    const sn::stream_scope scope(on == Py_None || !on_gpu() ? sn::stream::current() : stream_of(on));
    if (major < 1) return PyCapsule_New(sn::to_dlpack<unversioned>(values_of(self)), old_name, &destroy<unversioned>);
    return PyCapsule_New(sn::to_dlpack(values_of(self)), new_name, &destroy<versioned>);
  });
}

PyObject* dlpack_device(PyObject*, PyObject*) {
  return Py_BuildValue("(ii)", on_gpu() ? sn::dlpack::kDLCUDA : sn::dlpack::kDLCPU, 0);
}

PyObject* address(PyObject* self, PyObject*) {
  return PyLong_FromVoidPtr(const_cast<double*>(std::as_const(values_of(self)).data()));
}

PyObject* to_list(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const auto all = values_of(self).get();
    PyObject* const list = PyList_New(static_cast<Py_ssize_t>(all.size()));
    for (std::size_t i = 0; list && i < all.size(); ++i)
      PyList_SetItem(list, static_cast<Py_ssize_t>(i), PyFloat_FromDouble(all[i]));
    return list;
  });
}

// Adds a number to every element, where they are.
PyObject* add(PyObject* self, PyObject* number) {
  return guarded([&]() -> PyObject* {
    values_of(self) += PyFloat_AsDouble(number);
    Py_RETURN_NONE;
  });
}

// The capsule is renamed, so that it does not end the tensor, which the array does.
template <class M>
PyObject* taken(PyObject* capsule, const char* name, const char* used) {
  return guarded([&]() -> PyObject* {
    auto* const m = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
    sn::array<double> values = sn::from_dlpack<double>(m);
    PyCapsule_SetName(capsule, used);
    return made(std::move(values));
  });
}

PyObject* from_capsule(PyObject*, PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, new_name)) return taken<versioned>(capsule, new_name, "used_dltensor_versioned");
  if (PyCapsule_IsValid(capsule, old_name)) return taken<unversioned>(capsule, old_name, "used_dltensor");
  PyErr_SetString(PyExc_TypeError, "no capsule of a tensor");
  return nullptr;
}

PyObject* arange(PyObject*, PyObject* count) {
  return guarded([&] { return made(sn::array<double>(sn::arange(PyLong_AsLongLong(count)) * 1.0)); });
}

// A capsule that counts how often its tensor is given back.
PyObject* counted(PyObject*, PyObject*) {
  static double elements[3] = {1, 2, 3};
  static std::int64_t extents[1] = {3};
  auto* const m =
      new unversioned{{elements, {sn::dlpack::kDLCPU, 0}, 1, {sn::dlpack::kDLFloat, 64, 1}, extents, nullptr, 0},
                      nullptr,
                      [](unversioned* mine) {
                        ++ends;
                        delete mine;
                      }};
  return PyCapsule_New(m, old_name, &destroy<unversioned>);
}
PyObject* count_of_ends(PyObject*, PyObject*) { return PyLong_FromLong(ends); }

PyMethodDef methods[] = {{"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&dlpack)),
                          METH_VARARGS | METH_KEYWORDS, nullptr},
                         {"__dlpack_device__", &dlpack_device, METH_NOARGS, nullptr},
                         {"address", &address, METH_NOARGS, nullptr},
                         {"tolist", &to_list, METH_NOARGS, nullptr},
                         {"add", &add, METH_O, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyMethodDef functions[] = {{"arange", &arange, METH_O, nullptr},
                           {"from_capsule", &from_capsule, METH_O, nullptr},
                           {"counted", &counted, METH_NOARGS, nullptr},
                           {"ends", &count_of_ends, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)}, {Py_tp_methods, methods}, {0, nullptr}};
PyType_Spec spec = {"sinter_exchange.array", sizeof(array_object), 0, Py_TPFLAGS_DEFAULT, slots};
PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "sinter_exchange", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_sinter_exchange() {
  array_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return array_type ? PyModule_Create(&module_definition) : nullptr;
}
