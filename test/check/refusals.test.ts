import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type App,
  type AppDefinition,
  createEngine,
  defineApp,
  type Engine,
  EngineError,
} from '../../src/index.js';
import { checkApp } from '../../src/tools/check/check-app.js';

interface Case {
  readonly title: string;
  readonly app: Omit<AppDefinition, 'name'>;
  /** Component to run: `module:get`, `connection:account`. */
  readonly run: string;
  /** The file of `src` whose refusal it is. */
  readonly throws: string;
  /** Rule that reports the refusal. Default: `refused-run` or `unknown-endpoint`, with the message of the run. */
  readonly rule?: string;
  /** Response of the API. Without it, the run must send nothing. */
  readonly answer?: unknown;
  /** Levels of collections in the form of the module. */
  readonly nests?: number;
}

const CASES = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'refusals.json'), 'utf8'),
) as readonly Case[];

describe('the check reports what a run refuses', () => {
  it.each(CASES)('$title', async (given) => {
    const app = appOf(given);
    const refused = await refusalOf(app, given);
    const found = (await checkApp(app)).filter(({ level }) => level === 'error');
    if (given.rule !== undefined) {
      expect(found.map(({ rule }) => rule)).toContain(given.rule);
      return;
    }
    const own = found.filter(({ rule }) => rule === 'refused-run' || rule === 'unknown-endpoint');
    expect(own.map(({ message }) => message)).toContain(refused.message);
    expect(own.find(({ message }) => message === refused.message)?.place).toMatchObject(refused.place ?? {});
  });
});

function appOf({ app, nests = 0 }: Case): App {
  let form: unknown = [];
  for (let depth = 0; depth < nests; depth++) form = [{ name: 'inner', type: 'collection', spec: form }];
  const { modules = {} } = app;
  const nested = Object.entries(modules).map(([name, module]) => [
    name,
    nests === 0 ? module : { ...module, mappableParams: form },
  ]);
  return defineApp({ name: 'sample', ...app, modules: Object.fromEntries(nested) });
}

/** Runs the component with the response of the case. */
async function refusalOf(app: App, { run, answer }: Case): Promise<EngineError> {
  const body = Buffer.from(JSON.stringify(answer ?? null));
  await using engine = createEngine({
    app,
    http: {
      transport: async ({ url }) => {
        if (answer === undefined) throw new Error('Nothing may be sent.');
        return { status: 200, statusText: 'OK', url, headers: { 'content-type': 'application/json' }, body };
      },
    },
  });
  const [kind, name = ''] = run.split(':');
  const error = await runIn(engine, kind, name).catch((thrown: unknown) => thrown);
  if (error instanceof EngineError) return error;
  throw new Error(`"${run}" was not refused.`, { cause: error });
}

/** Resolves with the error that the report of the run has. */
async function runIn(engine: Engine, kind: string | undefined, name: string): Promise<unknown> {
  switch (kind) {
    case 'module':
      return (await engine.module(name).run({ payload: {} })).error;
    case 'epoch':
      return (await engine.module(name, 'trigger').epoch()).error;
    case 'respond':
      return (await engine.module(name, 'responder').respond()).error;
    case 'rpc':
      return (await engine.rpc(name).call()).error;
    case 'connection': {
      const connection = engine.connection(name);
      const created = await connection.create({ parameters: {} }).catch(() => undefined);
      return created === undefined
        ? (await connection.authorize({ parameters: {}, redirectUri: 'https://b.example/' })).error
        : created.error;
    }
    case 'attach':
      return (await engine.webhook(name).attach({})).error;
    default:
      return (
        await engine
          .webhook(name)
          .handle(new Request('https://hooks.example/1', { method: 'POST', body: '{}' }))
      ).error;
  }
}

/** Refusals that depend on values of the run, which a check cannot know. */
const DEPENDS_ON_DATA: Readonly<Record<string, string>> = {
  'report.ts': 'names what a component is refused for, thrown elsewhere',
  'check-parameters.ts': 'an RPC that a form asks at run time',
  'rpc-results.ts': 'the size of RPC results',
  'resolve-parameters.ts': 'how often a form asks for RPCs, which their answers decide',
  'stored-connections.ts': 'which connections are kept, and of what',
};

describe('the table of refusals', () => {
  it('names each source file that refuses a component', () => {
    const named = new Set([...CASES.map((one) => one.throws), ...Object.keys(DEPENDS_ON_DATA)]);
    const refusing = RUN_FOLDERS.flatMap((folder) => filesBelow(folder)).filter((file) =>
      /(?:throw |return )(?:runError|new AppError|specError)\(\s*'InvalidConfigurationError'|new SpecError\(\s*'SPEC_INVALID'/.test(
        readFileSync(file, 'utf8'),
      ),
    );
    expect(refusing.map((file) => path.basename(file)).filter((file) => !named.has(file))).toEqual([]);
    expect(refusing.length).toBeGreaterThan(10);
  });
});

const SOURCE = path.join(import.meta.dirname, '../../src');

/** Folders that take part in a run. `cannot-load` passes on errors of loading and parsing. */
const RUN_FOLDERS = [
  ...['component', 'connection', 'module', 'run', 'webhook', 'http', 'parameters', 'document'],
].map((folder) => path.join(SOURCE, 'engine', folder));

/** Files beside them that read documents. */
const READERS: readonly string[] = ['document.ts', 'jsonc.ts'];

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !READERS.includes(path.basename(file)))
    .map((file) => path.join(folder, file));
}
