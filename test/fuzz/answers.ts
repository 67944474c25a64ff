import fc from 'fast-check';
import { AppError, type Transport } from '../../src/index.js';
import { type Answer, engineOf, respond } from '../run/helpers.js';
import { jsonValues } from './arbitrary-json.js';
import { assertPrototypes, type Target } from './target.js';

const LIMITS = { maxRequests: 8, maxPages: 5, maxRecords: 20 };

/** Directives that read and follow responses. */
const COMMUNICATIONS: Readonly<Record<string, unknown>> = {
  pages: {
    url: '/items',
    response: { iterate: '{{body.items}}', output: '{{item}}' },
    pagination: { qs: { page: '{{pagination.page}}' }, condition: '{{body.items}}' },
  },
  links: {
    url: '/items',
    response: {
      iterate: { container: '{{body.items}}', condition: '{{item.id}}' },
      output: { id: '{{item.id}}' },
    },
    pagination: { mergeWithParent: false, url: '{{body.next}}', condition: '{{body.next}}' },
  },
  chain: [
    { url: '/a', response: { temp: { d: '{{body}}', n: '{{body.items[1].name}}' }, valid: '{{body != 5}}' } },
    {
      url: '/b/{{temp.n}}',
      method: 'POST',
      body: '{{temp.d}}',
      headers: { x: '{{temp.n}}' },
      qs: { q: '{{temp.d}}' },
    },
  ],
  errors: {
    url: '/x',
    response: {
      valid: { condition: '{{body.id}}', message: '{{body.name}}', type: '{{body.next}}' },
      error: { message: '{{body.name}} {{body}}', type: '{{body.next}}', 404: { message: '{{body.items}}' } },
    },
  },
  repeats: {
    url: '/job',
    repeat: { condition: '{{body.next}}', delay: '{{body.id}}', limit: '{{body.id}}' },
    response: { output: '{{body}}', wrapper: { data: '{{output}}' } },
  },
  text: {
    url: '/x',
    response: { type: 'text', output: { text: '{{upper(body)}}', headers: '{{headers}}' } },
  },
  binary: { url: '/x', response: { type: 'binary', output: { data: '{{body}}', size: '{{length(body)}}' } } },
};

const shaped = fc.record(
  {
    items: fc.oneof(jsonValues, fc.array(fc.record({ id: jsonValues, name: jsonValues }), { maxLength: 9 })),
    next: fc.oneof(
      fc.constantFrom('/items?page=2', 'https://other.test/', 'a b', '\\\\x', 'https://['),
      jsonValues,
    ),
    id: jsonValues,
    name: jsonValues,
  },
  { requiredKeys: [], noNullPrototype: true },
);

const bodies = fc.oneof(
  { weight: 4, arbitrary: shaped.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: jsonValues.map((value) => JSON.stringify(value)) },
  fc.constantFrom(
    '',
    '{',
    '[1,',
    '<a><b>1</b><b/></a>',
    '<a',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    'a=1&a=2&b[c]=%',
  ),
  fc.string({ maxLength: 20 }),
);

const types = fc.constantFrom(
  ...['application/json', 'application/json; charset=utf-16', 'text/xml', 'text/plain; charset=nope', ''],
  ...['application/x-www-form-urlencoded', 'application/octet-stream', 'multipart/form-data', 'a/b; x="'],
);

const extraHeaders = fc.dictionary(
  fc.constantFrom(
    'location',
    'retry-after',
    'content-encoding',
    'link',
    'set-cookie',
    'content-length',
    '__proto__',
  ),
  fc.constantFrom(
    '',
    '/y',
    'https://other.test/',
    'http://[',
    '-1',
    '1e9',
    'gzip',
    'br, gzip',
    'Thu, 99 Foo',
    'a=1; ;=',
  ),
  { maxKeys: 2, noNullPrototype: true },
);

const answers: fc.Arbitrary<Answer> = fc
  .record({
    status: fc.oneof(
      { weight: 4, arbitrary: fc.constant(200) },
      fc.constantFrom(
        0,
        100,
        204,
        206,
        301,
        302,
        303,
        304,
        307,
        308,
        400,
        401,
        404,
        418,
        429,
        500,
        503,
        599,
        999,
      ),
    ),
    text: bodies,
    type: types,
    headers: extraHeaders,
  })
  .map(({ status, text, type, headers }) => ({
    status,
    text,
    headers: { 'content-type': type, ...headers },
  }));

interface Input {
  readonly communication: string;
  /** Repeats the responses in order. */
  readonly answers: readonly Answer[];
}

/** One engine per communication. Its API returns the responses of the current case. */
const answering = new Map<string, Answering>();

interface Answering {
  readonly run: ReturnType<typeof engineOf>['run'];
  list: readonly Answer[];
  sent: number;
}

function answeringFor(communication: string): Answering {
  const known = answering.get(communication);
  if (known !== undefined) return known;
  const transport: Transport = async ({ url }) => {
    const answer = made.list[made.sent % made.list.length] ?? {};
    made.sent++;
    return respond(answer, url);
  };
  const { run } = engineOf(COMMUNICATIONS[communication], { http: { transport }, limits: LIMITS });
  const made: Answering = { run, list: [], sent: 0 };
  answering.set(communication, made);
  return made;
}

/** APIs with arbitrary responses, and apps that paginate, chain, repeat and report errors. */
export const hostileAnswers: Target<Input> = {
  name: 'answers',
  input: fc.record({
    communication: fc.constantFrom(...Object.keys(COMMUNICATIONS)),
    answers: fc.array(answers, { minLength: 1, maxLength: 4 }),
  }),
  survive: async ({ communication, answers: list }) => {
    const engine = answeringFor(communication);
    engine.list = list;
    engine.sent = 0;
    const { error, bundles = [], stats } = await engine.run();
    if (error !== undefined && !(error instanceof AppError)) throw error;
    // Maximum number of redirects per request.
    if (stats.requests > LIMITS.maxRequests) throw new Error(`${stats.requests} requests were counted`);
    if (engine.sent > LIMITS.maxRequests * 21) throw new Error(`${engine.sent} requests were sent`);
    if (communication === 'pages' && bundles.length > LIMITS.maxRecords) {
      throw new Error(`${bundles.length} bundles came of ${LIMITS.maxRecords}`);
    }
    assertPrototypes();
  },
};
