export { checkRestAnswer, type RestAnswer, withAnswerCheck } from './contracts/check-rest-answer.js';
export { HOST_QUEUE_CONTRACT, type HostQueueCase, type QueueParts } from './contracts/host-queue-contract.js';
export { HOST_STORE_CONTRACT, type HostStoreCase } from './contracts/host-store-contract.js';
export {
  insertRestRows,
  type RestContractCase,
  type RestContractOptions,
  type RestFixtureFile,
  type RestRows,
  type RestWorld,
  restContract,
} from './contracts/rest-contract.js';
export type {
  Exchange,
  Expectation,
  Fixture,
  FixtureInput,
  FixtureKind,
  PageServer,
} from './fixtures/fixture.js';
export { runFixture } from './fixtures/run-fixture.js';
export {
  createPageServer,
  createScriptedTransport,
  type ScriptedTransport,
} from './fixtures/scripted-transport.js';
export { createVirtualClock, type VirtualClock } from './fixtures/virtual-clock.js';
export { runVector, type Vector } from './vectors/run-vector.js';
export { isSameValue, type SameValueOptions } from './vectors/same-value.js';
export { readTagged, writeTagged } from './vectors/tagged-values.js';
