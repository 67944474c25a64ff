import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printTestFailures, runFixtures } from '../../src/tools/testing/index.js';

/*
 * An app that works and its cases, which pass; then one character of the app is another one. A case has to fail, and to name the
 * file and the line. The apps are published ones, and lie outside of this repository, as do the cases.
 */

const SHARED = path.resolve(import.meta.dirname, '../../../shared');
const isThere = existsSync(path.join(SHARED, 'corpus'));

interface PublishedApp {
  readonly folder: string;
  readonly cases: string;
  /** Whether cases contain values of a form. Otherwise they contain values as expressions see them. */
  readonly isChecked?: boolean;
}

const HEDY: PublishedApp = {
  folder: 'corpus/HedyAI__make-app-hedy',
  cases: 'conformance/apps/hedy.json',
  isChecked: true,
};
const LETMEPOST: PublishedApp = {
  folder: 'corpus/letmepost__make-app-letmepost',
  cases: 'conformance/apps/letmepost.json',
  isChecked: true,
};

const SUDOMOCK: PublishedApp = {
  folder: 'corpus/sudomock__sudomock-make-app/src/sudomock',
  cases: 'conformance/apps/sudomock.json',
};
const MISTRAL: PublishedApp = {
  folder: 'corpus/Ichy77__Open-Source-Make-Apps/src/mistral-ai',
  cases: 'conformance/apps/mistral-ai.json',
};
const OPENROUTER: PublishedApp = {
  folder: 'corpus/Ichy77__Open-Source-Make-Apps/src/openrouter',
  cases: 'conformance/apps/openrouter.json',
};
const LINKEDAPI: PublishedApp = {
  folder: 'corpus/Linked-API__linkedapi-make/src',
  cases: 'conformance/apps/linkedapi.json',
};
const ALL = [HEDY, LETMEPOST, SUDOMOCK, MISTRAL, OPENROUTER, LINKEDAPI];

const RENDER = 'modules/render/render.communication.iml.json';
const COMPLETION = 'modules/create-acompletion/create-acompletion.communication.iml.json';
const CHAT = 'modules/create-achat-completion/create-achat-completion.communication.iml.json';
const SESSIONS = 'modules/listSessions/listSessions.communication.iml.json';
const GET_SESSION = 'modules/getSession/getSession.communication.iml.json';
const KEY = 'connections/apiKey/apiKey.communication.iml.json';
const RPC = 'rpcs/listSessionsRpc/listSessionsRpc.communication.iml.json';

/** App, file, old text, new text, and the maximum distance in lines to the reported location. Default: 1. */
const CHANGES: readonly (readonly [
  app: PublishedApp,
  file: string,
  from: string,
  to: string,
  lines?: number,
])[] = [
  [HEDY, 'general/base.iml.json', 'api.hedy.bot', 'api.hedy.bat'],
  [HEDY, 'general/base.iml.json', 'Bearer {{', 'Baarer {{'],
  [HEDY, 'general/base.iml.json', 'connection.apiKey', 'connection.apikey'],
  [HEDY, 'general/base.iml.json', '[{{statusCode}}]', '({{statusCode}}]'],
  [HEDY, 'general/base.iml.json', 'InvalidAccessTokenError', 'InvalidAccessTokenErrot'],
  [HEDY, 'general/base.iml.json', '"429"', '"428"', 6],
  [HEDY, 'general/base.iml.json', 'Rate limit exceeded.', 'Rate limit exceeded!'],
  [HEDY, SESSIONS, '"/sessions"', '"/session5"'],
  [HEDY, SESSIONS, 'standard', 'standart'],
  [HEDY, SESSIONS, '{{ifempty(parameters.limit, 10)}}', '{{ifempty(parameters.limit, 11)}}'],
  [HEDY, SESSIONS, '{{body.data}}', '{{body.date}}'],
  [HEDY, SESSIONS, '"after"', '"aftar"'],
  [HEDY, SESSIONS, 'pagination.next}}', 'pagination.nexd}}'],
  [HEDY, SESSIONS, 'hasMore', 'hasMor3'],
  [HEDY, SESSIONS, '"output": "{{item}}"', '"output": "{{itam}}"'],
  [HEDY, KEY, '{{body.email}}', '{{body.emall}}', 3],
  [HEDY, KEY, '"apiKey": "', '"apiKay": "'],
  [HEDY, RPC, '{{item.title}}', '{{item.titlo}}'],
  [HEDY, RPC, '"50"', '"51"'],
  [HEDY, GET_SESSION, 'GET', 'SET'],
  [LETMEPOST, 'src/modules/getPost/api.imljson', 'parameters.', 'paramaters.'],
  [LETMEPOST, 'src/general/base.imljson', 'body.error.code', 'body.error.kode'],
  [LETMEPOST, 'src/rpcs/getAccounts/api.imljson', '{{item.', '{{itam.'],
  [SUDOMOCK, 'general/base.iml.json', 'X-API-KEY', 'X-API-KEX'],
  [SUDOMOCK, 'general/base.iml.json', '/api/v1', '/api/v2'],
  [SUDOMOCK, 'general/base.iml.json', 'RateLimitError', 'RateLimitErrar'],
  [SUDOMOCK, RENDER, '"/renders"', '"/render5"'],
  [SUDOMOCK, RENDER, 'parameters.mockup_uuid', 'parameters.mockup_uuld'],
  [SUDOMOCK, RENDER, 'smart_objects) > 0 ||', 'smart_objects) > 1 ||'],
  [SUDOMOCK, RENDER, 'Add at least', 'Adb at least'],
  [SUDOMOCK, RENDER, "files, 'export_path')), und", "files, 'export_pith')), und"],
  [MISTRAL, 'general/base.iml.json', 'api.mistral.ai', 'api.mistrai.ai'],
  [MISTRAL, 'general/base.iml.json', 'connection.apiKey', 'connection.apyKey'],
  [MISTRAL, 'general/base.iml.json', 'body.detail.msg', 'body.detail.mgg'],
  [MISTRAL, 'modules/get-models/get-models.communication.iml.json', '{{body.data}}', '{{body.dato}}'],
  [MISTRAL, COMPLETION, '/chat/completions', '/chat/completion5'],
  [MISTRAL, COMPLETION, "'tool_choice'", "'tool_chaice'"],
  [OPENROUTER, 'general/base.iml.json', 'Bearer {{', 'Bearar {{'],
  [OPENROUTER, 'general/base.iml.json', '"X-Title"', '"X-Tltle"', 3],
  [OPENROUTER, 'general/base.iml.json', 'body.error.message', 'body.error.massage'],
  [OPENROUTER, CHAT, '"messages"', '"massages"'],
  [OPENROUTER, CHAT, "'json_object'", "'json_objekt'"],
  [LINKEDAPI, 'general/base.iml.json', 'linkedApiToken', 'linkedApiTaken'],
  [LINKEDAPI, 'general/base.iml.json', '{{!body.criticalError}}', '{{ body.criticalError}}'],
  [LINKEDAPI, 'general/base.iml.json', 'criticalError.type', 'criticalError.tipe'],
];

const CASES = CHANGES.map(([app, file, from, to, lines = 1]) => ({ app, file, from, to, lines }));

let home: string;
const copies = new Map<PublishedApp, string>();

function copyApp(app: PublishedApp): string {
  const folder = path.join(home, String(copies.size));
  cpSync(path.join(SHARED, app.folder), folder, { recursive: true });
  const { fixtures } = JSON.parse(readFileSync(path.join(SHARED, app.cases), 'utf8')) as {
    fixtures: readonly {
      readonly exchanges?: readonly { readonly request?: object }[];
      readonly name: string;
      readonly input?: object;
      readonly component: { readonly type: string; readonly name: string };
    }[];
  };
  for (const { name, component, exchanges = [], input, ...rest } of fixtures) {
    const file = path.join(folder, 'tests', component.name, `${name}.test.json`);
    mkdirSync(path.dirname(file), { recursive: true });
    const content = {
      component: `${component.type}:${component.name}`,
      ...rest,
      input: { checkParameters: app.isChecked === true, ...input },
      exchanges: exchanges.map(describeBody),
    };
    writeFileSync(file, JSON.stringify(content, null, 2));
  }
  copies.set(app, folder);
  return folder;
}

/** Fixtures omit unrelated members. A case declares that any body matches. */
function describeBody({ request, ...exchange }: { readonly request?: object }): object {
  if (request === undefined || !('method' in request) || request.method !== 'POST')
    return { request, ...exchange };
  const isDescribed = ['body', 'bodyText', 'form', 'parts', 'bodyAbsent'].some((name) => name in request);
  return { request: isDescribed ? request : { ...request, body: { $any: true } }, ...exchange };
}

beforeAll(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'iml-changes-')));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.runIf(isThere)('a character that is another one', () => {
  it.each(ALL)('passes the cases of $folder without a change', async (app) => {
    const { ok, results } = await runFixtures(copies.get(app) ?? copyApp(app));
    expect(results.map(printTestFailures).join('')).toBe('');
    expect(ok).toBe(true);
  });

  it('covers at least twenty changes in each of five apps', () => {
    expect(CHANGES.length).toBeGreaterThanOrEqual(20);
    expect(new Set(CHANGES.map(([app]) => app)).size).toBeGreaterThanOrEqual(5);
    for (const [, , from, to] of CHANGES) expect(differing(from, to)).toBe(1);
  });

  it.each(CASES)(
    'makes a case fail after a change: $file $from $to',
    async ({ app, file, from, to, lines }) => {
      const folder = copies.get(app) ?? copyApp(app);
      const target = path.join(folder, file);
      const text = readFileSync(target, 'utf8');
      const at = text.indexOf(from);
      expect(at).toBeGreaterThan(0);
      writeFileSync(target, text.slice(0, at) + to + text.slice(at + from.length));
      try {
        const { ok, results } = await runFixtures(folder);
        expect(ok).toBe(false);
        const line = text.slice(0, at).split('\n').length;
        const origins = results.flatMap(({ failures }) => failures.map(({ origin }) => origin));
        const found = origins.some(
          (origin) => origin?.file === target && Math.abs((origin.line ?? 0) - line) <= lines,
        );
        const told = results
          .map(printTestFailures)
          .filter((shown) => shown !== '')
          .join('\n');
        expect(found ? 'found' : told).toBe('found');
      } finally {
        writeFileSync(target, text);
      }
    },
  );
});

function differing(from: string, to: string): number {
  if (from.length !== to.length) return Number.POSITIVE_INFINITY;
  return [...from].filter((character, index) => character !== to[index]).length;
}
