import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliResult, cli, type FakeIoOptions } from '../cli/fake-io.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

let folder: string;
beforeEach(async () => {
  folder = makeTemporaryFolder();
  await iml('init', 'app', 'acme', '--base-url', 'https://api.acme.example/v1', '--auth', 'api-key');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const iml = (...args: readonly string[]): Promise<CliResult> => run(args);
const run = (args: readonly string[], options: FakeIoOptions = {}): Promise<CliResult> =>
  cli(args, { cwd: folder, ...options });

/** A JSON file of the added module. */
function read(part: string): unknown {
  const files = readdirSync(path.join(folder, 'acme/modules'), { recursive: true, encoding: 'utf8' });
  const file = files.find((one) => one.includes('-note') && one.endsWith(`.${part}.iml.json`));
  return JSON.parse(readFileSync(path.join(folder, 'acme/modules', file ?? ''), 'utf8'));
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
}
const show = (fields: unknown): string =>
  (fields as readonly Field[])
    .map(({ name, type, required }) => `${name}: ${type}${required === true ? '!' : ''}`)
    .join(', ');

/** All texts that an app consists of. */
function allTexts(): string {
  return readdirSync(path.join(folder, 'acme'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(folder, 'acme', file))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

async function expectPublishable(): Promise<void> {
  const checked = await iml('check', 'acme', '--profile', 'review', '--fail-on', 'warning');
  expect(checked, checked.out).toMatchObject({ code: 0 });
  const tested = await iml('test', 'acme');
  expect(tested, tested.out).toMatchObject({ code: 0, out: expect.not.stringContaining('todo') });
}

const API = 'https://api.acme.example/v1';

/** Name of the module, command, its request, and its form. */
const COMMANDS: readonly (readonly [string, string, object, string])[] = [
  [
    'getNote',
    `curl ${API}/notes/7`,
    { url: '/notes/{{encodeURL(parameters.id)}}', encodeUrl: false },
    'id: text!',
  ],
  [
    'getNote',
    `curl '${API}/notes?tag=a&n=3&on=true'`,
    { url: '/notes', qs: { tag: '{{parameters.tag}}', n: '{{parameters.n}}', on: '{{parameters.on}}' } },
    'tag: text, n: number, on: boolean',
  ],
  [
    'getNote',
    `curl "${API}/repos/OWNER/:repo/<sub id>/$NOTE_ID/\${page}/[kind]/{{last}}/v1_x" -H 'Authorization: Bearer $TOKEN'`,
    {
      url: '/repos/{{encodeURL(parameters.owner)}}/{{encodeURL(parameters.repo)}}/{{encodeURL(parameters.subId)}}/{{encodeURL(parameters.noteId)}}/{{encodeURL(parameters.page)}}/{{encodeURL(parameters.kind)}}/{{encodeURL(parameters.last)}}/v1_x',
    },
    'owner: text!, repo: text!, subId: text!, noteId: text!, page: text!, kind: text!, last: text!',
  ],
  [
    'createNote',
    `curl -d title=x --data-urlencode 'text=a b' ${API}/notes`,
    {
      method: 'POST',
      type: 'urlencoded',
      body: { title: '{{parameters.title}}', text: '{{parameters.text}}' },
    },
    'title: text, text: text',
  ],
  [
    'createNote',
    `curl \\\n "${API}/notes" \\\r\n -d $'\\x61\\u0062\\143=1' -d "d\\"e"=2 -d f\\ g='h i' > out.json`,
    {
      url: '/notes',
      body: { abc: '{{parameters.abc}}', 'd"e': '{{parameters.dE}}', 'f g': '{{parameters.fG}}' },
    },
    'abc: number, dE: number, fG: text',
  ],
  [
    'createNote',
    `curl --json '{"title":"x","due_date":"2026-01-31","n":1.5}' ${API}/notes`,
    {
      method: 'POST',
      body: {
        title: '{{parameters.title}}',
        due_date: "{{if(parameters.due_date, formatDate(parameters.due_date, 'YYYY-MM-DD'))}}",
        n: '{{parameters.n}}',
      },
    },
    'title: text, due_date: date, n: number',
  ],
  [
    'createNote',
    `curl -d '{"title":"x"}' ${API}/notes`,
    { method: 'POST', body: { title: '{{parameters.title}}' } },
    'title: text',
  ],
  [
    'updateNote',
    `curl -XPATCH ${API}/users/7/notes/9 -H 'Content-Type: application/json' --data-raw $'{"a":"it\\'s"}'`,
    {
      url: '/users/{{encodeURL(parameters.userId)}}/notes/{{encodeURL(parameters.id)}}',
      method: 'PATCH',
      body: { a: '{{parameters.a}}' },
    },
    'userId: text!, id: text!, a: text',
  ],
  [
    'updateNote',
    `curl --request PUT "${API}/notes/{note_id}" -F 'file=@/tmp/a.png;type=image/png' -F title=x`,
    {
      url: '/notes/{{encodeURL(parameters.note_id)}}',
      method: 'PUT',
      type: 'multipart/form-data',
      body: {
        title: '{{parameters.title}}',
        file: { value: '{{parameters.file}}', options: { filename: '{{parameters.fileName}}' } },
      },
    },
    'note_id: text!, fileName: filename!, file: buffer!, title: text',
  ],
  [
    'deleteNote',
    `curl -sSL -X DELETE --url ${API}/notes/cus_9s6X -o /dev/null | jq .`,
    { method: 'DELETE', response: { output: { id: '{{parameters.id}}' } } },
    'id: text!',
  ],
  [
    'searchNote',
    `curl -G ${API}/notes -d q=x -d limit=20 -d offset=0 --compressed -k`,
    {
      url: '/notes',
      qs: { limit: 20, offset: 0, q: '{{parameters.q}}' },
      pagination: {
        qs: { offset: '{{(pagination.page - 1) * 20}}' },
        condition: '{{length(body.notes) > 0}}',
      },
    },
    'q: text, limit: uinteger!',
  ],
  [
    'searchNote',
    `curl "${API}/notes?filter[state]=open&page=2"`,
    {
      qs: { page: 1, 'filter[state]': '{{parameters.filterState}}' },
      pagination: { qs: { page: '{{pagination.page}}' }, condition: '{{length(body.notes) > 0}}' },
    },
    'filterState: text, limit: uinteger!',
  ],
  [
    'sendNote',
    `curl ${API}/notes -H 'Content-Type: application/xml' -H 'X-Version: 3' --data-binary '<a/>'`,
    {
      method: 'POST',
      type: 'text',
      headers: { 'content-type': 'application/xml', 'x-version': '3' },
      body: '{{parameters.body}}',
    },
    'body: text!',
  ],
];

describe('iml add module --curl', () => {
  it.each(COMMANDS)('adds %s for %s', async (name, command, communication, fields) => {
    const added = await iml('add', 'module', name, 'acme', '--curl', command);
    expect(added, added.err).toMatchObject({ code: 0 });
    expect(read('communication')).toMatchObject(communication);
    expect(show(read('mappable-params'))).toBe(fields);
  });

  it('adds modules that pass check, review and test', async () => {
    for (const [index, [name, command]] of COMMANDS.entries()) {
      const added = await iml(
        'add',
        'module',
        `${name}${'abcdefghijklmnop'[index]}`,
        'acme',
        '--curl',
        command,
      );
      expect(added).toMatchObject({ code: 0 });
    }
    await expectPublishable();
  });

  it('leaves credentials out, with a note for each, and never writes them', async () => {
    const command = `curl 'https://me:hunter2@api.acme.example/v1/notes?api_key=hunter2&q=x' -u me:hunter2
      -H 'X-Api-Key: hunter2' -H 'Cookie: sid=hunter2' -H 'X-Trace: ghp_hunter2hunter2hunter2hunter2'`;
    const added = await run(['add', 'module', 'getNote', 'acme', '--curl', '-'], { stdin: command });
    expect(added).toMatchObject({ code: 0 });
    expect(added.err.match(/Left out/g)).toHaveLength(6);
    expect(added.err).toContain('Left out the header authorization, which the base sets.');
    expect(allTexts() + added.out + added.err).not.toContain('hunter2');
    expect(allTexts()).not.toContain(Buffer.from('me:hunter2').toString('base64'));
  });

  it('leaves headers of one request out, with a note for each, and headers of browsers without one', async () => {
    const headers = [
      'Idempotency-Key: k-1',
      'If-None-Match: "1"',
      'X-Request-Id: r-1',
      'Sec-Fetch-Mode: cors',
    ];
    const command = `curl ${API}/notes ${headers.map((header) => `-H '${header}'`).join(' ')}`;
    const added = await iml('add', 'module', 'createNote', 'acme', '--curl', command);
    expect(added).toMatchObject({ code: 0 });
    expect(added.err.match(/Left out the header \S+, whose value belongs to one request\./g)).toEqual([
      'Left out the header idempotency-key, whose value belongs to one request.',
      'Left out the header if-none-match, whose value belongs to one request.',
      'Left out the header x-request-id, whose value belongs to one request.',
    ]);
    expect(added.err).not.toContain('sec-fetch-mode');
  });

  it('writes no expression that a request contains', async () => {
    const command = `curl '${API}/notes/{{x}}y?{{now}}=1' -H 'x-a: {{connection.apiKey}}' --json '{"{{now}}":1,"__proto__":2}'`;
    const added = await iml('add', 'module', 'sendNote', 'acme', '--curl', command);
    expect(added).toMatchObject({ code: 0 });
    const text = JSON.stringify(read('communication'));
    expect(text).not.toContain('{{x}}');
    expect(text).not.toContain('{{now}}');
    expect(text).not.toContain('"x-a"');
    await expectPublishable();
  });

  it('writes the whole address if it is not below the base', async () => {
    const added = await iml('add', 'module', 'getNote', 'acme', '--curl', 'curl https://other.example/notes');
    expect(added.err).toContain('https://other.example is not below the baseUrl of the app.');
    expect(read('communication')).toMatchObject({ url: 'https://other.example/notes' });
  });

  it.each([
    ['wget https://a.example', 'It does not start with curl.'],
    ['curl', 'It has no address.'],
    ['curl ^"https://a.example^"', 'Its quotes are those of cmd. Copy it for bash.'],
    ['curl https://a.example https://b.example', 'It has 2 addresses. Quote values that contain spaces.'],
    ['curl ftp://a.example', 'Invalid address'],
    ['curl --compresed https://a.example', 'Unknown option --compresed. Did you mean "compressed"?'],
    ['curl -q https://a.example', 'Unknown option -q.'],
    ['curl https://a.example -d', '-d has no value.'],
    ['curl https://a.example -d @body.json', 'The data are in the file "body.json".'],
    ["curl https://a.example -H 'a: b", "quote ' without an end"],
    ['curl https://a.example -H nonsense', 'Invalid header: expected NAME: VALUE.'],
  ])('refuses "%s" and writes nothing', async (command, message) => {
    const before = allTexts();
    const added = await iml('add', 'module', 'getNote', 'acme', '--curl', command);
    expect(added).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(allTexts()).toBe(before);
  });

  it.each([
    [['--curl', 'curl a.example', '--har', 'x.har'], '--curl and --har exclude each other.'],
    [['--curl', 'curl a.example', '--template', 'get'], '--template has no use'],
    [['--request', 'GET /'], '--request requires --har.'],
    [['--har', 'none.har'], 'the file "none.har" cannot be read'],
  ])('refuses %j', async (options, message) => {
    const added = await iml('add', 'module', 'getNote', 'acme', ...options);
    expect(added).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

describe('iml add module --har', () => {
  const entry = (method: string, url: string, body: unknown, sent?: unknown, status = 200): object => ({
    startedDateTime: '2026-01-01T00:00:00Z',
    time: 1,
    request: {
      method,
      url: `${API}${url}`,
      headers: [
        { name: 'Authorization', value: 'Bearer hunter2' },
        { name: 'User-Agent', value: 'Mozilla' },
        { name: 'sec-fetch-mode', value: 'cors' },
      ],
      ...(sent !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
    },
    response: { status, headers: [], content: { mimeType: 'application/json', text: JSON.stringify(body) } },
  });
  const add = (
    name: string,
    entries: readonly object[],
    ...options: readonly string[]
  ): Promise<CliResult> => {
    writeFileSync(path.join(folder, 's.har'), JSON.stringify({ log: { entries } }));
    return iml('add', 'module', name, 'acme', '--har', 's.har', ...options);
  };
  const NOTE = { id: 7, created_at: '2026-01-31T10:00:00Z', owner: 'ann@acme.org', tags: ['a'] };

  it('fills interface, samples and output from the response', async () => {
    expect(await add('getNote', [entry('GET', '/notes/7', { note: NOTE })])).toMatchObject({ code: 0 });
    expect(read('communication')).toMatchObject({
      response: {
        output: {
          '{{...}}': '{{body.note}}',
          created_at: '{{if(body.note.created_at, parseDate(body.note.created_at), null)}}',
        },
      },
    });
    expect(show(read('interface'))).toBe('id: uinteger, created_at: date, owner: email, tags: array');
    expect(read('samples')).toEqual({
      ...NOTE,
      created_at: '2026-01-31T10:00:00.000Z',
      owner: 'name@example.com',
    });
    expect(allTexts()).not.toContain('hunter2');
    await expectPublishable();
  });

  /** What pages, query, response, and parts of the request. */
  const LISTS: readonly (readonly [
    string,
    string,
    unknown,
    { iterate: string } & Record<string, unknown>,
  ])[] = [
    [
      'a page number',
      '?page=2&per_page=50',
      { data: [NOTE], total_pages: 3 },
      {
        iterate: '{{body.data}}',
        qs: { page: 1, per_page: 50 },
        pagination: {
          qs: { page: '{{pagination.page}}' },
          condition: '{{body.total_pages >= pagination.page}}',
        },
      },
    ],
    [
      'a flag for more',
      '?page=1',
      { notes: [NOTE], has_more: true },
      {
        iterate: '{{body.notes}}',
        qs: { page: 1 },
        pagination: { qs: { page: '{{pagination.page}}' }, condition: '{{body.has_more}}' },
      },
    ],
    [
      'an offset and a total',
      '?offset=0&limit=10',
      { items: [NOTE], errors: [], meta: { total: 40 } },
      {
        iterate: '{{body.items}}',
        qs: { offset: 0, limit: 10 },
        pagination: {
          qs: { offset: '{{(pagination.page - 1) * 10}}' },
          condition: '{{body.meta.total > (pagination.page - 1) * 10}}',
        },
      },
    ],
    [
      'a token',
      '?limit=10&page_token=x',
      { items: [NOTE], next_page_token: 'abc' },
      {
        iterate: '{{body.items}}',
        qs: { limit: 10 },
        pagination: { qs: { page_token: '{{body.next_page_token}}' }, condition: '{{body.next_page_token}}' },
      },
    ],
    [
      'a link',
      '',
      { value: [NOTE], '@odata.nextLink': `${API}/notes?page=2` },
      {
        iterate: '{{body.value}}',
        pagination: { url: '{{body.`@odata.nextLink`}}', condition: '{{body.`@odata.nextLink`}}' },
      },
    ],
    [
      'nothing that shows how it pages',
      '',
      [NOTE],
      { iterate: '{{body}}', pagination: { condition: `{{contains(headers.link, 'rel="next"')}}` } },
    ],
  ];

  it.each(LISTS)('adds a search for a list with %s', async (_title, query, body, expected) => {
    const added = await add('browseNote', [entry('GET', `/notes${query}`, body)]);
    expect(added).toMatchObject({ code: 0 });
    const { iterate, ...request } = expected;
    expect(read('communication')).toMatchObject({ ...request, response: { iterate } });
    expect(added.err.includes('does not show how the list is paged')).toBe(
      query === '' && Array.isArray(body),
    );
    expect(show(read('interface'))).toContain('created_at: date');
  });

  it('adds searches that pass check, review and test', async () => {
    for (const [index, [, query, body]] of LISTS.entries()) {
      const added = await add(`list${'ABCDEF'[index]}Notes`, [entry('GET', `/notes${query}`, body)]);
      expect(added).toMatchObject({ code: 0 });
    }
    await expectPublishable();
  });

  it('learns from further pages how a list is paged', async () => {
    const pages = [
      entry('GET', '/notes?q=x', { notes: [NOTE], next_cursor: 'abc' }),
      entry('GET', '/notes?q=x&cursor=abc', { notes: [{ ...NOTE, color: 'red' }], next_cursor: null }),
    ];
    expect((await add('listNote', pages)).code).toBe(0);
    expect(read('communication')).toMatchObject({
      qs: { q: '{{parameters.q}}' },
      pagination: { qs: { cursor: '{{body.next_cursor}}' }, condition: '{{body.next_cursor}}' },
    });
    expect(show(read('mappable-params'))).toBe('q: text, limit: uinteger!');
    expect(show(read('interface'))).toContain('color: text');
  });

  it('chooses a call by method and path, and learns from all of its responses', async () => {
    const entries = [
      entry('GET', '/notes/7', NOTE),
      entry('GET', '/notes/8', { id: 8, color: 'red' }),
      entry('GET', '/notes/9', { error: 1 }, undefined, 404),
      entry('POST', '/notes', NOTE, { title: 'x' }),
    ];
    const several = await add('getNote', entries);
    expect(several).toMatchObject({
      code: 2,
      err: expect.stringContaining('Choose one with --request: GET /v1/notes/{id}, POST /v1/notes.'),
    });
    expect(await add('getNote', entries, '--request', 'PUT /notes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no successful call "PUT /notes"'),
    });
    expect((await add('getNote', entries, '--request', 'get /notes/7')).code).toBe(0);
    expect(show(read('interface'))).toContain('color: text');
  });

  it('adds an action for a record that contains a list', async () => {
    const order = { order_id: 7, lines: [{ sku: 'a' }] };
    expect(
      (await add('createNote', [entry('POST', '/notes', { total: 1, lines: [{ sku: 'a' }] }, {})])).code,
    ).toBe(0);
    expect(read('communication')).toMatchObject({ response: { output: '{{body}}' } });
    expect((await add('getOrderNote', [entry('GET', '/orders/7', order)])).code).toBe(0);
    expect(allTexts()).not.toContain('iterate');
    await expectPublishable();
  });

  it('leaves secrets out of the output, the interface and the samples', async () => {
    const added = await add('getNote', [entry('GET', '/notes/7', { ...NOTE, access_token: 'hunter2' })]);
    expect(added.err).toContain('Left out "access_token" of the output, which looks like a secret.');
    expect(read('communication')).toMatchObject({
      response: { output: { '{{...}}': "{{omit(body, 'access_token')}}" } },
    });
    expect(JSON.stringify([read('interface'), read('samples')])).not.toContain('access_token');
    await expectPublishable();
  });

  it('keeps the template of a call without a JSON response', async () => {
    const deleted = entry('DELETE', '/notes/7', undefined);
    expect((await add('deleteNote', [deleted])).code).toBe(0);
    expect(show(read('interface'))).toBe('id: text');
    await expectPublishable();
  });
});
