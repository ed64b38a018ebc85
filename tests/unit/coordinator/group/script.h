// SPDX-License-Identifier: Apache-2.0
// Histories of groups as text. A script is a list of paragraphs: lines that begin with "> " are
// commands, the lines after them what they must print. run_script() executes the commands and gives
// the script back with what they really printed.
//
//   options [no-upgrade] [no-downgrade] [consumer-size=N]
//           [events] [min-session=MS] [max-session=MS] [delay=MS] [size=N] [metadata=BYTES]
//           [retention=MS] [damping=MS]
//                                   first of all; `events`: what operators are told is printed too
//   join GROUP CLIENT [as=MEMBER] [instance=I] [type=T] [protocols=P,Q] [topics=A,B] [session=MS]
//        [rebalance=MS] [old] [skip]
//                                   `old` need not know its id first; `skip` may skip assignments
//   sync GROUP MEMBER GENERATION [instance=I] [protocol=P] [MEMBER=ASSIGNMENT ...]
//                                   an assignment of @A:0,B:1 as consumers write it
//   heartbeat GROUP MEMBER GENERATION [instance=I]
//   leave GROUP MEMBER|i:INSTANCE ...
//   commit GROUP MEMBER|- GENERATION [instance=I] [keep=MS] TOPIC:PARTITION=OFFSET[,METADATA] ...
//   fetch GROUP [as=MEMBER] [epoch=N] [TOPIC:PARTITION ...]
//   forget GROUP TOPIC:PARTITION ...
//   beat GROUP MEMBER EPOCH [topics=A,B] [regex=R] [owned=A:0,B:1] [instance=I] [rack=R]
//        [assignor=A] [rebalance=MS]
//                                   a heartbeat of the consumer protocol
//   epochs GROUP                    as ConsumerGroupDescribe tells it
//   topic NAME PARTITIONS [racks=A,B]
//                                   is made or otherwise than before; 0: is gone
//   group NAME [session=MS] [heartbeat=MS] [interval=MS]
//                                   sets these for itself
//   hold-work / work                what groups want computed waits; is done
//   facts GROUP / consumer-facts GROUP
//                                   what is told of it beyond Kafka's answers
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
