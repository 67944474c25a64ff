export { checkRestAnswer, type RestAnswer, withAnswerCheck } from './check-rest-answer.js';
export type { Exchange, Expectation, Fixture, FixtureInput, FixtureKind, PageServer } from './fixture.js';
export { HOST_STORE_CONTRACT, type HostStoreCase } from './host-store-contract.js';
export {
  insertRestRows,
  type RestContractCase,
  type RestContractOptions,
  type RestFixtureFile,
  type RestRows,
  type RestWorld,
  restContract,
} from './rest-contract.js';
export { runFixture } from './run-fixture.js';
export { runVector, type Vector } from './run-vector.js';
export { isSameValue, type SameValueOptions } from './same-value.js';
export { createPageServer, createScriptedTransport, type ScriptedTransport } from './scripted-transport.js';
export { readTagged, writeTagged } from './tagged-values.js';
export { createVirtualClock, type VirtualClock } from './virtual-clock.js';
