import { describe, expect, it } from 'vitest';
import { transportFailure } from '../../src/engine/http/undici-transport.js';
import {
  type Connection,
  createEngine,
  defineApp,
  type TraceEvent,
  type Transport,
} from '../../src/index.js';
import { canary, everythingOf, expectNoCanary, findCanaries } from './canary.js';

const S = {
  key: canary('key'),
  password: canary('password'),
  common: canary('common'),
  code: canary('code'),
  access: canary('access'),
  refresh: canary('refresh'),
  ticket: canary('ticket'),
  header: canary('header').replace('é', 'e'),
  cookie: canary('cookie'),
};
const SECRETS = Object.values(S);
const HOST = 'https://api.example.test';
const URI = '{{encodeURL(data.a)}}';

/** Quotes everything it knows, like a careless author. */
const QUOTE =
  'No: {{parameters.key}} {{parameters.password}} {{common.cs}} {{temp.code}} {{temp.ticket}} {{data.a}} {{data.r}} {{connection.a}} {{body.echo}} {{base64(parameters.key)}} {{encodeURL(data.a)}}';

const response = {
  error: QUOTE,
  temp: { ticket: '{{body.ticket}}' },
  data: { a: '{{body.a}}', r: '{{body.r}}', h: "{{headers['x-odd']}}", h2: '{{headers.`x-odd`}}' },
};

const request = {
  method: 'POST',
  qs: { q: '{{parameters.key}}', t: '{{temp.ticket}}', a: '{{data.a}}' },
  headers: {
    Authorization: 'Basic {{base64("user:" + parameters.password)}}',
    'X-Whatever': '{{encodeURL(common.cs)}}',
    'X-Token-Of': `${URI}`,
  },
  body: { code: '{{temp.code}}', all: '{{parameters}}', data: '{{data}}', text: 'r={{data.r}}' },
  response,
};

const COMMUNICATION = {
  preauthorize: { ...request, url: `${HOST}/pre/{{encodeURL(parameters.key)}}` },
  authorize: { url: `${HOST}/page`, response: { temp: { code: '{{query.code}}' }, error: QUOTE } },
  token: { ...request, url: `${HOST}/token/{{encodeURL(temp.ticket)}}` },
  info: {
    ...request,
    url: `${HOST}/info/{{encodeURL(connection.a)}}`,
    response: { ...response, uid: '{{body.id}}' },
  },
  refresh: { ...request, url: `${HOST}/refresh/{{encodeURL(data.r)}}` },
  invalidate: { ...request, url: `${HOST}/invalidate` },
};

const BODY = JSON.stringify({
  id: 1,
  a: S.access,
  r: S.refresh,
  ticket: S.ticket,
  echo: [S.key, S.access],
  nested: { list: [{ deep: S.ticket }] },
});

type Failure = 'none' | 'status' | 'network' | 'not JSON' | 'expression';

interface Shown {
  readonly text: string;
  readonly report: Awaited<ReturnType<Connection['create']>> | undefined;
}

/** All output while a connection is created, refreshed, tested and revoked; the last call fails. */
async function show(step: string, failure: Failure): Promise<Shown> {
  const shown: string[] = [];
  const transport: Transport = async ({ url }) => {
    const fails = url.includes(`/${step}`);
    const headers = {
      'content-type': 'application/json',
      'x-odd': S.header,
      'set-cookie': [`sid=${encodeURIComponent(S.cookie)}`],
    };
    if (fails && failure === 'network') throw transportFailure({ code: 'ECONNRESET' }, new URL(url).origin);
    // A value that first appears in a refusal, under a neutral name, cannot be recognized as a secret.
    const refusal = JSON.stringify({ ticket: S.ticket, echo: step === 'pre' ? S.key : [S.key, S.access] });
    const text =
      fails && failure === 'not JSON' ? `<${BODY}` : fails && failure === 'status' ? refusal : BODY;
    return { status: fails && failure === 'status' ? 401 : 200, headers, body: Buffer.from(text), url };
  };
  const communication =
    failure === 'expression'
      ? { ...COMMUNICATION, [step === 'pre' ? 'preauthorize' : step]: breakData(step) }
      : COMMUNICATION;
  const engine = createEngine({
    app: defineApp({
      name: 'app',
      connections: { c: { type: 'oauth', communication, common: { cs: S.common } } },
    }),
    http: { transport },
    trace: 'full',
    onTrace: (event: TraceEvent) => shown.push(JSON.stringify(event)),
  });
  const connection = engine.connection('c');
  let report: Awaited<ReturnType<Connection['create']>> | undefined;
  const tell = <R extends Pick<Awaited<ReturnType<Connection['create']>>, 'trace' | 'warnings' | 'error'>>(
    given: R,
  ): R => {
    shown.push(JSON.stringify([given.trace, given.warnings]), everythingOf(given.error));
    return given;
  };
  const parameters = { key: S.key, password: S.password };
  const { pending } = tell(await connection.authorize({ redirectUri: `${HOST}/cb`, parameters }));
  if (pending !== undefined)
    report = tell(await connection.complete(pending, { code: S.code, state: pending.state }));
  if (report?.stored !== undefined) {
    tell(await connection.refresh(report.stored, { force: true }));
    tell(await connection.test(report.stored));
    tell(await connection.invalidate(report.stored));
  }
  return { text: shown.join('\n'), report };
}

/** An expression that fails on a secret value. */
function breakData(step: string): unknown {
  const url = `${HOST}/${step}`;
  return {
    ...request,
    url,
    response: { ...response, uid: '{{parseNumber(body.a).x + sum(body.a)}}', data: '{{body.a}}' },
  };
}

describe('secrets of a connection', () => {
  it('occur in the stored connection, and the trace lists every request', async () => {
    const { text, report } = await show('none', 'none');
    expect(findCanaries(JSON.stringify(report?.stored), SECRETS).length).toBeGreaterThanOrEqual(5);
    for (const path of ['pre', 'token', 'info', 'refresh', 'invalidate']) expect(text).toContain(`/${path}`);
  });

  it('do not occur in the trace of successful steps', async () => {
    expectNoCanary((await show('none', 'none')).text, SECRETS);
  });

  const steps = ['pre', 'token', 'info', 'refresh', 'invalidate'];
  const failures: Failure[] = ['status', 'network', 'not JSON', 'expression'];
  it.each(steps.flatMap((step) => failures.map((failure) => [step, failure] as const)))(
    'do not occur in any output if %s fails: %s',
    async (step, failure) => {
      const { text } = await show(step, failure);
      expect(text).toContain('Error');
      expectNoCanary(text, SECRETS);
    },
  );
});
