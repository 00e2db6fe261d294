/** The rule itself is core's, so that a binding is judged by the same one before there is a run (SPEC S1, B6). */
export { refuseEnvironment, type BinOwner } from '@hcp/core';
