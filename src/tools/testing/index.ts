export type { TestCase } from './cases/test-case.js';
export { HOST_QUEUE_CONTRACT, type HostQueueCase, type QueueParts } from './contracts/host-queue-contract.js';
export { HOST_STORE_CONTRACT, type HostStoreCase } from './contracts/host-store-contract.js';
export {
  type RestContractCase,
  type RestContractOptions,
  type RestContractTokens,
  restContract,
} from './contracts/rest-contract.js';
export type { Exchange } from './exchanges/exchange.js';
export { mockTransport, type ScriptedTransport } from './exchanges/play-exchanges.js';
export { createVirtualClock } from './exchanges/virtual-clock.js';
export type { Fixture } from './fixtures/fixture.js';
export { runFixture } from './fixtures/run-fixture.js';
export { runVector, type Vector } from './fixtures/run-vector.js';
export { createDigestLog } from './recording/digest-log.js';
export { recordCase, type WrittenCase } from './recording/record-case.js';
export { type Recording, recordTransport } from './recording/record-transport.js';
export { describeApp, runFixtures, type TestReport } from './suite/describe-app.js';
export type { TestResult } from './suite/test-result.js';
export { printTestFailures } from './suite/test-result.js';
