import type { Exchange, ExpectedRequest, ScriptedResponse } from '../exchanges/exchange.js';
import type { Fixture, FixtureInput, FixtureKind } from '../fixtures/fixture.js';
import type { StandIns } from './placeholders.js';

/** A test case as in its file. Members of `Fixture` have the same meaning. */
export interface TestCase extends Omit<Fixture, 'name' | 'kind' | 'component' | 'input' | 'exchanges'> {
  /** The schema of the file, for editors. */
  readonly $schema?: string;
  /** Default: the path of the file below the folder `tests`, without `.test.json`. */
  readonly name?: string;
  readonly note?: string | readonly string[];
  /** The component: `module:listOrders`, `rpc:listFields`, `endpoint:getOrder`, `connection:apiKey`, `webhook:newOrder`. */
  readonly component?: string | { readonly type: string; readonly name: string };
  /** The kind of run. Default: the type of a module, else `rpc`, `endpoint`, `connection`, `oauth2`, `webhook`. */
  readonly kind?: FixtureKind;
  /** The reason why the case is unfinished. `iml test` lists it, does not run it, and counts it separately. */
  readonly todo?: string;
  /**
   * `iml test --record-cases` runs the case against the API and completes it. Until then the case fails and needs no
   * `exchanges` and no `expect`. Default: false.
   */
  readonly record?: boolean;
  /**
   * Whether `iml test --live` runs the case: true even if its requests change data or it was not recorded; false
   * never. Default: true for recorded cases with GET and HEAD requests only.
   */
  readonly live?: boolean;
  /** When and with which version the exchanges were recorded; absent in hand-written cases. */
  readonly recorded?: Recorded;
  /** Stand-ins for secrets by name, for apps that read parts of them. Default: see `fakeSecret`. */
  readonly secrets?: StandIns;
  /** `checkParameters` is true by default, as in a run. */
  readonly input?: FixtureInput;
  readonly exchanges?: readonly CaseExchange[];
}

/** When and with which version a case was recorded. */
export interface Recorded {
  /** ISO 8601 date or time. */
  readonly at: string;
  /** Version of this package. */
  readonly runtime?: string;
}

/** An exchange whose bodies can be in separate files. */
export interface CaseExchange extends Exchange {
  readonly request?: ExpectedRequest & BodyInFile;
  readonly response?: ScriptedResponse & BodyInFile;
}

/** A body in a file of `<case>.bodies/`: JSON (`.json`), text (`.txt`) or bytes (any other extension). */
export interface BodyInFile {
  readonly bodyFile?: string;
}

/** Start of the comment above a case with generated responses. */
export const MADE_UP_NOTE = '// The responses are generated.';
