// SPDX-License-Identifier: Apache-2.0
// Histories of groups as text. A script is a list of paragraphs: lines that begin with "> " are
// commands, the lines after them what they must print. run_script() executes the commands and gives
// the script back with what they really printed.
//
//   options [min-session=MS] [max-session=MS] [delay=MS] [size=N] [metadata=BYTES] [retention=MS]
//                                   first of all
//   join GROUP CLIENT [as=MEMBER] [instance=I] [type=T] [protocols=P,Q] [topics=A,B] [session=MS]
//        [rebalance=MS] [old] [skip]
//                                   `old` need not know its id first; `skip` may skip assignments
//   sync GROUP MEMBER GENERATION [instance=I] [protocol=P] [MEMBER=ASSIGNMENT ...]
//   heartbeat GROUP MEMBER GENERATION [instance=I]
//   leave GROUP MEMBER|i:INSTANCE ...
//   commit GROUP MEMBER|- GENERATION [instance=I] [keep=MS] TOPIC:PARTITION=OFFSET[,METADATA] ...
//   fetch GROUP [TOPIC:PARTITION ...]
//   forget GROUP TOPIC:PARTITION ...
//   describe GROUP / delete GROUP / list [states=S,S] [types=T,T]
//   time MS                         what is due happens
//   hold / release                  the high watermark stays; goes to the end of the log
//   fail CODE                       the next append does not happen
//   store                           the state store gets what is committed
//   take-over                       another node coordinates
//   expire / gone TOPIC             the store is looked through
//
// Members are called CLIENT#N or INSTANCE#N, in the order in which ids were given.
#pragma once

#include <string>

namespace milena::coordinator::test {

std::string run_script(const std::string& script);

}  // namespace milena::coordinator::test
