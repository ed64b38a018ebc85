// SPDX-License-Identifier: Apache-2.0
// Histories of a quorum as text. A script is a list of paragraphs: lines that begin with "> " are
// commands, the lines after them what they must print. run_script() executes the commands and gives
// the script back with what they really printed; equal means passed, and the difference reads as a
// review.
//
//   cluster voters=3 [observers=1] [kraft=1] [discovers=1] [join=1]    first of all
//   start N
//   crash N [OFFSET]            loses what was not synced, from OFFSET on
//   stand N                     N's clock alone goes on until it wants to be elected;
//                               nothing arrives meanwhile
//   time MS                     time goes on; everybody whose deadline has come looks
//   propose N RECORDS           the controller's append
//   ask N add|remove|update M   an operator, or M, asks N for another set of voters
//   ask N add-soon M            the same, to be answered when it is appended
//   replace N / move N          N, which is down, gets an empty disk; another address
//   append N / sync N           the disk's progress
//   snapshot N / clean N        N's snapshot of all that it knows to be committed; its log begins
//                               at the end of its newest
//   load N / no-room N          the snapshot that was fetched is loaded, or can't be
//   wipe N                      the disk of N, which is down, is exchanged
//   deliver A B                 the first message from A to B
//   lose A B [told]             the same gets lost; its sender is told
//   network                     what is on its way
//   settle [N ...]              everything arrives and disks are instant; who is not named,
//                               if somebody is, is cut off
//   run MS [N ...]              the same for that long
//   refused N                   N's leader refuses connections
//   shutdown N / fail N         N stops; N's disk fails
//   quiet COMMAND               does it and prints nothing
//   grep WORD COMMAND           does it and prints only lines that have the word
//   state
#pragma once

#include <string>

namespace milena::raft::test {

std::string run_script(const std::string& script);

}  // namespace milena::raft::test
