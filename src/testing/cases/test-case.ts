import type { Exchange, ExpectedRequest, ScriptedResponse } from '../exchanges/exchange.js';
import type { Fixture, FixtureInput, FixtureKind } from '../fixtures/fixture.js';
import type { StandIns } from './secret-placeholders.js';

/** A case as its file has it: a fixture with a face for people. What is told of `Fixture` holds here, too. */
export interface TestCase extends Omit<Fixture, 'name' | 'kind' | 'component' | 'input' | 'exchanges'> {
  /** Where editors find the schema of the file. */
  readonly $schema?: string;
  /** Default: the path of the file below the folder `tests`, without `.test.json`. */
  readonly name?: string;
  readonly note?: string | readonly string[];
  /** What is run: `module:listOrders`, `rpc:listFields`, `connection:apiKey`, `webhook:newOrder`. */
  readonly component?: string | { readonly type: string; readonly name: string };
  /** Which of the runs the component has. Default: of a module its type, else `rpc`, `connection`, `oauth2`, `webhook`. */
  readonly kind?: FixtureKind;
  /**
   * Why the case is not finished. `iml test` does not run it, shows the reason and counts it apart from passed cases; remove
   * the member to run the case.
   */
  readonly todo?: string;
  /**
   * Asks `iml test --record` to run the case against the service and to write what it has seen in place of this member. Until
   * then the case fails, and needs no `exchanges` and no `expect`. Default: false.
   */
  readonly record?: boolean;
  /**
   * Whether `iml test --live` runs the case: true also where a call may change something at the service, or where it was not
   * recorded; false never. Default: where it was recorded and all its calls are GET or HEAD.
   */
  readonly live?: boolean;
  /** When and by what the exchanges were recorded; absent where they were written by hand. */
  readonly recorded?: Recorded;
  /**
   * What stands for the secrets of placeholders while the case is played, by name, where an app looks into them. Default: see
   * `fakeSecret`.
   */
  readonly secrets?: StandIns;
  /** `checkParameters` is true by default, as in a run. */
  readonly input?: FixtureInput;
  readonly exchanges?: readonly CaseExchange[];
}

/** When and by what the exchanges of a case were recorded. */
export interface Recorded {
  /** ISO 8601, a day or an instant. */
  readonly at: string;
  /** Version of this package. */
  readonly runtime?: string;
}

/** An exchange whose bodies may lie in files of their own. */
export interface CaseExchange extends Exchange {
  readonly request?: ExpectedRequest & BodyInFile;
  readonly response?: ScriptedResponse & BodyInFile;
}

/** A body that lies in a file below `<case>.bodies/`: JSON (`.json`), text (`.txt`) or bytes (anything else). */
export interface BodyInFile {
  readonly bodyFile?: string;
}
