import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node.js';

/*
 * What `iml check` takes as a process on the largest published app and on one of a thousand modules, the first check of a
 * folder beside later ones; and what the language server takes to start, to complete and in memory on the largest app. Each
 * beside a process of Node that does nothing, in turn, so that a busy machine slows both. The command has to be built.
 */

const BIN = fileURLToPath(new URL('../../../../dist/bin/iml.js', import.meta.url));
const LARGEST = fileURLToPath(
  new URL('../../../../../shared/corpus/sudomock__sudomock-make-app/src/sudomock', import.meta.url),
);
const ROUNDS = 5;
const COMPLETIONS = 30;

/** Tells what the process has used of the processor, as the last line of its standard error. */
const TELL_CPU =
  'data:text/javascript,process.on("exit",()=>{const u=process.cpuUsage();process.stderr.write("\\ncpu "+(u.user+u.system)/1000)})';

/** Milliseconds: on the clock, and of the processor. */
interface Taken {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const work = mkdtempSync(path.join(tmpdir(), 'iml-bench-check-'));
try {
  console.log(`load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
  const largest = path.join(work, 'largest');
  if (existsSync(LARGEST)) cpSync(LARGEST, largest, { recursive: true });
  else makeApp(largest, 40);
  const app = existsSync(LARGEST)
    ? 'the largest published app'
    : 'a made app of 40 modules (no ../shared here)';
  measureCheck(app, largest, 1000);
  const thousand = path.join(work, 'thousand');
  makeApp(thousand, 1000);
  measureCheck('a made app of 1000 modules', thousand, 3000);
  await measureServer(app, largest);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Modules with a form, a search with paging and expressions of some length; a connection; an RPC for each ten modules. */
function makeApp(folder: string, modules: number): void {
  const write = (file: string, content: unknown): void => {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, JSON.stringify(content, null, 2));
  };
  const names = Array.from({ length: modules }, (_, index) => `listThings${index}`);
  const rpcs = Array.from({ length: Math.ceil(modules / 10) }, (_, index) => `listFolders${index}`);
  for (const name of names) {
    write(`modules/${name}/${name}.communication.iml.json`, {
      url: '/things/{{parameters.folder}}',
      temp: { query: '{{trim(parameters.query)}}' },
      headers: { 'x-region': '{{connection.region}}' },
      qs: {
        since: "{{formatDate(parameters.since; 'YYYY-MM-DD')}}",
        q: '{{if(temp.query; temp.query; null)}}',
      },
      response: {
        iterate: '{{body.items}}',
        output: {
          id: '{{item.id}}',
          title: "{{ifempty(item.title; 'untitled')}}",
          tags: "{{join(item.tags; ', ')}}",
        },
        limit: '{{parameters.limit}}',
      },
      pagination: { qs: { page: '{{pagination.page}}' }, condition: '{{body.has_more}}' },
    });
    write(`modules/${name}/${name}.mappable-params.iml.json`, [
      {
        name: 'folder',
        type: 'select',
        label: 'Folder',
        options: `rpc://${rpcs[Number(name.slice(10)) % rpcs.length]}`,
        required: true,
      },
      { name: 'since', type: 'date', label: 'Since' },
      { name: 'query', type: 'text', label: 'Query' },
      { name: 'limit', type: 'uinteger', label: 'Limit', default: 10 },
    ]);
    write(`modules/${name}/${name}.interface.iml.json`, [
      { name: 'id', type: 'text' },
      { name: 'title', type: 'text' },
      { name: 'tags', type: 'text' },
    ]);
  }
  const record = (name: string): unknown => ({
    label: name,
    moduleType: 'search',
    connection: 'account',
    codeFiles: {
      communication: `modules/${name}/${name}.communication.iml.json`,
      mappableParams: `modules/${name}/${name}.mappable-params.iml.json`,
      interface: `modules/${name}/${name}.interface.iml.json`,
    },
  });
  write('general/base.iml.json', {
    baseUrl: 'https://api.example.com',
    headers: { authorization: 'Bearer {{connection.token}}' },
    log: { sanitize: ['request.headers.authorization'] },
  });
  write('connections/account/account.communication.iml.json', { url: 'https://api.example.com/me' });
  write('connections/account/account.params.iml.json', [
    { name: 'token', type: 'password', label: 'Token' },
    { name: 'region', type: 'text', label: 'Region' },
  ]);
  for (const rpc of rpcs) {
    write(`rpcs/${rpc}/${rpc}.communication.iml.json`, {
      url: '/folders',
      qs: { q: '{{parameters.query}}', since: '{{parameters.since}}', limit: '{{parameters.limit}}' },
      response: { iterate: '{{body}}', output: { label: '{{item.name}}', value: '{{item.id}}' } },
    });
  }
  write('makecomapp.json', {
    fileVersion: 1,
    generalCodeFiles: { base: 'general/base.iml.json' },
    components: {
      module: Object.fromEntries(names.map((name) => [name, record(name)])),
      connection: {
        account: {
          label: 'Account',
          connectionType: 'basic',
          codeFiles: {
            communication: 'connections/account/account.communication.iml.json',
            params: 'connections/account/account.params.iml.json',
          },
        },
      },
      rpc: Object.fromEntries(
        rpcs.map((name) => {
          const codeFiles = { communication: `rpcs/${name}/${name}.communication.iml.json` };
          return [name, { label: name, connection: 'account', codeFiles }];
        }),
      ),
    },
  });
}

function measureCheck(app: string, folder: string, targetMs: number): void {
  const empty: Taken[] = [];
  const ours: Taken[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    empty.push(timeProcess(['-e', '0']));
    ours.push(timeProcess([BIN, 'check', folder, '--fail-on', 'never']));
  }
  const [first, ...later] = ours;
  const median = takeMedian(later);
  const bare = takeMedian(empty.slice(1));
  console.log(
    `iml check, ${app}: ${print(median)} (target ${targetMs} ms), the first ${first ? print(first) : '-'}, an empty process ${print(bare)}`,
  );
}

function timeProcess(args: readonly string[]): Taken {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', TELL_CPU, ...args], {
    encoding: 'utf8',
  });
  const wallMs = performance.now() - start;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return { wallMs, cpuMs: Number(/cpu ([\d.]+)$/.exec(stderr)?.[1]) };
}

/** The server with the file of the app that has the most expressions open. */
async function measureServer(app: string, folder: string): Promise<void> {
  const file = findLargestFile(folder);
  const text = readFileSync(file, 'utf8');
  const starts: number[] = [];
  const completions: number[] = [];
  let memory = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const begin = performance.now();
    const child = spawn(process.execPath, [BIN, 'lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const connection = connect(child);
    await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
    if (round > 0) starts.push(performance.now() - begin);
    await connection.sendNotification('initialized', {});
    completions.push(...(await complete(connection, file, text, round === 0 ? 1 : COMPLETIONS)).slice(1));
    memory = Math.max(memory, readMemory(child.pid));
    await connection.sendRequest('shutdown');
    await connection.sendNotification('exit');
    await new Promise((resolve) => child.once('exit', resolve));
    connection.dispose();
  }
  const slow = completions.toSorted((a, b) => a - b)[Math.floor(completions.length * 0.95)] ?? 0;
  console.log(
    `iml lsp, ${app}: starts in ${medianOf(starts).toFixed(0)} ms (target 300), completes in ${medianOf(completions).toFixed(1)} ms, 95 of 100 in ${slow.toFixed(1)} (target 50), holds ${memory.toFixed(0)} MB (target 150)`,
  );
}

function connect({ stdout, stdin }: ChildProcess): ProtocolConnection {
  if (stdout === null || stdin === null) throw new Error('The server has no standard streams.');
  const connection = createProtocolConnection(
    new StreamMessageReader(stdout),
    new StreamMessageWriter(stdin),
  );
  connection.listen();
  return connection;
}

/** Types a name after the first braces of the file, letter by letter, and asks at each. */
async function complete(
  connection: ProtocolConnection,
  file: string,
  text: string,
  count: number,
): Promise<number[]> {
  const uri = pathToFileURL(file).href;
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'jsonc', version: 1, text },
  });
  const at = text.indexOf('{{') + 2;
  const taken: number[] = [];
  for (let round = 0; round < count; round++) {
    const typed = 'parameters.'.slice(0, 1 + (round % 11));
    const now = text.slice(0, at) + typed + text.slice(at);
    const lines = now.slice(0, at + typed.length).split('\n');
    await connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: round + 2 },
      contentChanges: [{ text: now }],
    });
    const begin = performance.now();
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    const found = await connection.sendRequest('textDocument/completion', {
      textDocument: { uri },
      position,
    });
    taken.push(performance.now() - begin);
    if (JSON.stringify(found).length < 100) throw new Error(`Nothing to complete "${typed}" with.`);
  }
  return taken;
}

function findLargestFile(folder: string): string {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'makecomapp.json'), 'utf8')) as {
    readonly components: {
      readonly module: Readonly<Record<string, { codeFiles: { communication: string } }>>;
    };
  };
  const files = Object.values(manifest.components.module).map(({ codeFiles }) =>
    path.join(folder, codeFiles.communication),
  );
  const withExpressions = files.filter((file) => readFileSync(file, 'utf8').includes('{{'));
  const [largest] = withExpressions.toSorted((a, b) => readFileSync(b).length - readFileSync(a).length);
  if (largest === undefined) throw new Error('The app has no module with an expression.');
  return largest;
}

/** Resident memory in megabytes, where the system tells it. */
function readMemory(pid: number | undefined): number {
  const file = `/proc/${pid}/status`;
  const kilobytes = existsSync(file) ? /VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Number(kilobytes ?? Number.NaN) / 1000;
}

function takeMedian(taken: readonly Taken[]): Taken {
  return {
    wallMs: medianOf(taken.map(({ wallMs }) => wallMs)),
    cpuMs: medianOf(taken.map(({ cpuMs }) => cpuMs)),
  };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function print({ wallMs, cpuMs }: Taken): string {
  return `${wallMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} of the processor`;
}
