// SPDX-License-Identifier: Apache-2.0
// The same for the modules that use env. Apart, because Asio's headers put a constructor into every
// file that sees them, and a module without env could not link it.
#pragma once

#include "precompiled.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
