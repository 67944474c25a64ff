import { loadCustomFunctions } from '../../../engine/custom-functions.js';
import type { App } from '../../../engine/document/app.js';
import { type Environment, type FunctionTable, toEnvironment } from '../../../language/environment.js';

/** Functions for evaluation. */
export interface Language {
  readonly environment: Environment;
  readonly functions: FunctionTable;
}

/** The current functions of an app, loaded on first use. */
export interface Languages {
  readonly of: (app: App) => Promise<Language>;
  readonly close: () => void;
}

/** @param trusted whether custom functions run outside the sandbox, for debugging */
export function createLanguages(timezone: string | undefined, trusted: boolean): Languages {
  const environment = toEnvironment({ timezone });
  let loaded: { readonly app: App; readonly functions: ReturnType<typeof loadCustomFunctions> } | undefined;
  const drop = (): void => {
    loaded?.functions.then(
      (functions) => functions.close(),
      () => {},
    );
    loaded = undefined;
  };
  return {
    of: async (app) => {
      if (loaded?.app !== app) {
        drop();
        loaded = { app, functions: loadCustomFunctions(app, environment, { trusted }) };
      }
      return { environment, functions: (await loaded.functions).table };
    },
    close: drop,
  };
}
