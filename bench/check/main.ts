import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
 * Measures `iml check` as a process on apps with 40 modules, as large apps have, and with 1000, and the start,
 * completion and memory of the language server on the smaller one. An empty Node.js process in each round shows how
 * busy the machine is. Needs `npm run build`.
 */

const BIN = fileURLToPath(new URL('../../../../dist/bin/iml.js', import.meta.url));
const ROUNDS = 5;
const COMPLETIONS = 30;

/** Preloaded module that writes the CPU time of the process as the last line of stderr. */
const REPORT_CPU =
  'data:text/javascript,process.on("exit",()=>{const u=process.cpuUsage();process.stderr.write("\\ncpu "+(u.user+u.system)/1000)})';

/** Elapsed time and CPU time in milliseconds. */
interface Times {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const work = mkdtempSync(path.join(tmpdir(), 'iml-bench-check-'));
try {
  console.log(`load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
  const forty = path.join(work, 'forty');
  writeApp(forty, 40);
  const app = 'a generated app of 40 modules';
  measureCheck(app, forty, 1000);
  const thousand = path.join(work, 'thousand');
  writeApp(thousand, 1000);
  measureCheck('a generated app of 1000 modules', thousand, 3000);
  await measureServer(app, forty);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Writes an app with search modules, a connection, and one RPC per ten modules. */
function writeApp(folder: string, modules: number): void {
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
  const empty: Times[] = [];
  const ours: Times[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    empty.push(timeProcess(['-e', '0']));
    ours.push(timeProcess([BIN, 'check', folder, '--fail-on', 'never']));
  }
  const [first, ...later] = ours;
  const median = medianTimes(later);
  const bare = medianTimes(empty.slice(1));
  console.log(
    `iml check, ${app}: ${print(median)} (target ${targetMs} ms), first run ${first ? print(first) : '-'}, empty process ${print(bare)}`,
  );
}

function timeProcess(args: readonly string[]): Times {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', REPORT_CPU, ...args], {
    encoding: 'utf8',
  });
  const wallMs = performance.now() - start;
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}: ${stderr}`);
  return { wallMs, cpuMs: Number(/cpu ([\d.]+)$/.exec(stderr)?.[1]) };
}

/** Opens the largest file with expressions in the language server. */
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
    `iml lsp, ${app}: start ${medianOf(starts).toFixed(0)} ms (target 300), completion median ${medianOf(completions).toFixed(1)} ms, p95 ${slow.toFixed(1)} ms (target 50), memory ${memory.toFixed(0)} MB (target 150)`,
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

/** Types a name after the first braces of the file and requests completions after each character. */
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
  const durations: number[] = [];
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
    const completions = await connection.sendRequest('textDocument/completion', {
      textDocument: { uri },
      position,
    });
    durations.push(performance.now() - begin);
    if (JSON.stringify(completions).length < 100) throw new Error(`There are no completions of "${typed}".`);
  }
  return durations;
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

/** Maximum resident memory in megabytes; NaN if the system does not report it. */
function readMemory(pid: number | undefined): number {
  const file = `/proc/${pid}/status`;
  const kilobytes = existsSync(file) ? /VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Number(kilobytes ?? Number.NaN) / 1000;
}

function medianTimes(times: readonly Times[]): Times {
  return {
    wallMs: medianOf(times.map(({ wallMs }) => wallMs)),
    cpuMs: medianOf(times.map(({ cpuMs }) => cpuMs)),
  };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function print({ wallMs, cpuMs }: Times): string {
  return `${wallMs.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms`;
}
