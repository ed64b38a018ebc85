// SPDX-License-Identifier: Apache-2.0
// The same for unit tests, of which each would read GoogleTest anew.
#pragma once

#include "precompiled_asio.h"

#include <gtest/gtest.h>
