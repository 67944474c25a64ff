import { Script } from 'node:vm';
import type { App } from '../../document/app.js';
import type { Warn } from '../../document/reading/warn.js';
import { FUNCTIONS } from '../../iml/functions/table.js';

/** Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions [doc] */
const MAX_CODE_LENGTH = 5000;

/** Tells of custom functions that hide a built-in one (`builtin-name`), hold more code than the platform takes (`long-function`) or do not compile (`syntax`). An empty file declares nothing. */
export function checkFunctions(app: App, warn: Warn): void {
  for (const { name, code, file } of app.functions.values()) {
    const placeOf = (): { file?: string } => (file === undefined ? {} : { file });
    if (code?.trim() === '') continue;
    if (Object.hasOwn(FUNCTIONS, name)) {
      const message = `The custom function "${name}" has the name of a built-in one, which expressions can no longer call.`;
      warn('builtin-name', message, placeOf);
    }
    if (code !== undefined && code.length > MAX_CODE_LENGTH) {
      const message = `The function "${name}" has ${code.length} characters; the platform takes ${MAX_CODE_LENGTH}.`;
      warn('long-function', message, placeOf);
    }
    const fault = code === undefined ? undefined : findFault(code);
    if (fault !== undefined) {
      const message = `The function "${name}" does not compile: ${fault.message}`;
      warn('syntax', message, () => ({ ...placeOf(), ...(file === undefined ? {} : fault.place) }));
    }
  }
}

interface Fault {
  readonly message: string;
  readonly place: { readonly line?: number };
}

const SCRIPT_NAME = 'function.js';

/** Parses only: nothing of an author runs. */
function findFault(code: string): Fault | undefined {
  try {
    new Script(code, { filename: SCRIPT_NAME });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return { message: String(error), place: {} };
    const line = new RegExp(`^${SCRIPT_NAME}:(\\d+)`).exec(error.stack ?? '')?.[1];
    return { message: error.message, place: line === undefined ? {} : { line: Number(line) } };
  }
}
