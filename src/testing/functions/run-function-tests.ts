import { APP_FUNCTIONS } from '../../app/engine/app-functions.js';
import type { App, FunctionComponent } from '../../document/app.js';
import { ImlError } from '../../errors/iml-error.js';
import type { SourceLocation } from '../../errors/source-location.js';
import { toEnvironment } from '../../iml/environment/environment.js';
import { GuestError } from '../../sandbox/guest-error.js';
import type { SandboxFunction } from '../../sandbox/sandbox.js';
import { createSeededRandom } from '../fixtures/seeded-random.js';
import { type GuestTestResult, HARNESS_NAME, harnessTests } from './test-harness.js';

/** The result of one `it`, or of a file that could not run. */
export interface FunctionTestResult {
  /** `removeEmpty > keeps zero`: function, groups, test. */
  readonly name: string;
  /** The reason of the failure; undefined for a passed test. */
  readonly message: string | undefined;
  /** Location in the test file or in a function of the app. */
  readonly place: SourceLocation;
}

/**
 * Limits of one test file. Source: https://github.com/integromat/vscode-apps-sdk (tests of custom functions). [src]
 */
const TEST_LIMITS = Object.freeze({ timeMs: 5000, maxCodeLength: Number.POSITIVE_INFINITY });

/** The current time in tests of functions. [choice] */
const NOW_MS: number = Date.UTC(2024, 0, 1);

/**
 * Runs the tests of one custom function in the sandbox of the functions. A test file that does not compile, takes too
 * long or contains no test is a failure.
 */
export async function runFunctionTests(
  app: App,
  { name, test = '', testFile }: FunctionComponent,
): Promise<readonly FunctionTestResult[]> {
  const file = testFile ?? `functions/${name}/${name}.test.js`;
  const names = [...app.functions.keys()];
  const harnessed = harnessTests(test, names);
  const functions: readonly SandboxFunction[] = [
    ...app.functions.values(),
    { name: HARNESS_NAME, code: harnessed.code, file },
  ];
  const { createSandbox } = await import('../../sandbox/create-sandbox.js');
  const sandbox = await createSandbox({ functions, builtins: APP_FUNCTIONS, limits: TEST_LIMITS });
  const failure = (message: string, place: SourceLocation = { file }): FunctionTestResult => ({
    name,
    message,
    place,
  });
  try {
    const broken = sandbox.warnings.find(({ code, place }) => code === 'syntax' && place.file === file);
    if (broken !== undefined) return [failure(broken.message, broken.place)];
    const environment = toEnvironment({ ...createSeededRandom(), now: () => NOW_MS });
    const results = sandbox.functions[HARNESS_NAME]?.(environment) as readonly GuestTestResult[];
    if (results.length === 0) return [failure('There is no test in this file: it("...", () => { ... }).')];
    const frames: FrameReader = { functions, tests: functions.length - 1, prefix: harnessed.prefixLength };
    return results.map(({ path, message, stack }) => ({
      name: [name, ...path].join(' > '),
      message,
      place: (stack === undefined ? undefined : findPlace(stack, frames)) ?? { file },
    }));
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    const { cause } = error;
    return [failure(ownMessage(error.message), cause instanceof GuestError ? cause.place : undefined)];
  } finally {
    sandbox.close();
  }
}

/** Authors know the file, not the function that wraps it. */
function ownMessage(message: string): string {
  return message.replace(`Custom function '${HARNESS_NAME}'`, 'The test file');
}

interface FrameReader {
  readonly functions: readonly SandboxFunction[];
  /** Index of the test file. */
  readonly tests: number;
  readonly prefix: number;
}

const FRAME = /function-(\d{1,6}):(\d{1,9}):(\d{1,9})/g;
/** Lines of the wrapper before each file. */
const WRAPPER_LINES = 1;

/** The first location of the author's code in a stack. */
function findPlace(stack: string, { functions, tests, prefix }: FrameReader): SourceLocation | undefined {
  for (const match of stack.matchAll(FRAME)) {
    const [index, line, column] = match.slice(1).map(Number) as [number, number, number];
    const code = functions[index];
    const own = line - WRAPPER_LINES;
    if (code === undefined || own < 1) continue;
    const isFirst = index === tests && own === 1;
    if (isFirst && column <= prefix) continue;
    return { file: code.file, line: own, column: isFirst ? column - prefix : column };
  }
  return undefined;
}
