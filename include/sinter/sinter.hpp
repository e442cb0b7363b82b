// All of Sinter. A user's program includes this and says `namespace sn = sinter;`.
#pragma once

#include <sinter/array.hpp>
#include <sinter/create.hpp>
#include <sinter/device.hpp>
#include <sinter/dtype.hpp>
#include <sinter/error.hpp>
#include <sinter/eval.hpp>
#include <sinter/inspect.hpp>
#include <sinter/io.hpp>
#include <sinter/reduce.hpp>
