// All of Sinter. A user's program includes this and says `namespace sn = sinter;`. What the rest builds on comes first: each
// file that includes another is a line more in every message of a compiler.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/detail/refuse.hpp>
#include <sinter/index.hpp>
#include <sinter/expr.hpp>
#include <sinter/functions.hpp>
#include <sinter/reduce.hpp>
#include <sinter/array.hpp>
#include <sinter/create.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <sinter/eval.hpp>
#include <sinter/inspect.hpp>
#include <sinter/io.hpp>
