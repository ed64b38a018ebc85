// SPDX-License-Identifier: Apache-2.0
// The one place where Asio's own code is compiled (BOOST_ASIO_SEPARATE_COMPILATION): everybody else
// sees declarations, which is what keeps a one-file change under its fifteen seconds.
#include <boost/asio/impl/src.hpp>
