export { CASE_SCHEMA } from './cases/case-shape.js';
export type { TestCase } from './cases/test-case.js';
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
export type { Exchange, ExpectedRequest, PageServer, ScriptedResponse } from './exchanges/exchange.js';
export type { RequestDifference } from './exchanges/match-request.js';
export {
  type ExchangeProblem,
  mockTransport,
  type PlayOptions,
  type ScriptedTransport,
} from './exchanges/play-exchanges.js';
export { createPageServer } from './exchanges/serve-pages.js';
export { createVirtualClock, type VirtualClock } from './exchanges/virtual-clock.js';
export type {
  Expectation,
  Fixture,
  FixtureInput,
  FixtureKind,
} from './fixtures/fixture.js';
export { type RunFixtureOptions, runFixture } from './fixtures/run-fixture.js';
export {
  type CompareOptions,
  matchValues,
  type ValueDifference,
  type ValuePath,
} from './matching/compare-values.js';
export { isSameValue, type SameValueOptions } from './matching/same-value.js';
export { readTagged, writeTagged } from './matching/tagged-values.js';
export { createDigestLog, type DigestLog } from './recording/digest-log.js';
export type { Suspect } from './recording/find-suspects.js';
export { recordCase, type WriteCaseOptions, type WrittenCase } from './recording/record-case.js';
export {
  type RecordedCall,
  type RecordedRequest,
  type RecordedResponse,
  type Recording,
  type RecordTransportOptions,
  recordTransport,
} from './recording/record-transport.js';
export type { RunToRecord } from './recording/rehearse-run.js';
export { describeApp, type TestFunctions } from './suite/describe-app.js';
export { printTestFailures } from './suite/print-failures.js';
export { type RunFixturesOptions, runFixtures, type TestReport } from './suite/run-fixtures.js';
export type { TestFailure, TestResult, TestSummary } from './suite/test-result.js';
export { runVector, type Vector } from './vectors/run-vector.js';
