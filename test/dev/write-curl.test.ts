import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { writeCurl } from '../../src/tools/dev/page/state/format.js';

type Request = Parameters<typeof writeCurl>[0];

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string, env: Record<string, string> = {}): readonly string[] {
  const script = `curl() { for one; do printf '%s\\0' "$one"; done; }\n${command}`;
  return execFileSync('sh', ['-uc', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1);
}

function request(more: Partial<Pick<Request, 'method' | 'url' | 'headers'>>): Request {
  return {
    seq: 0,
    at: 0,
    requestIndex: 0,
    page: 1,
    kind: 'request' as const,
    method: 'GET',
    size: 0,
    place: {},
    url: 'https://api.example.com/',
    headers: [],
    body: undefined,
    ...more,
  };
}

it('writes a shell command for the same request', () => {
  const url = "https://api.example.com/a?q=it's&x=$HOME`id`&y=%20\\n";
  const headers = [
    ['accept', 'application/json'],
    ['x-note', '"quoted" and \'single\' $(id)'],
    ['content-length', '12'],
  ] as const;
  const body = '{"text": "it\'s\\nso", "n": "$1 `x` \\\\"}';
  const command = writeCurl(request({ method: 'POST', url, headers }), body);
  expect(argumentsOf(command)).toEqual([
    ...['-X', 'POST', '--url', url, '-H', 'accept: application/json', '-H', `x-note: ${headers[1][1]}`],
    ...['--data-raw', body],
  ]);
  expect(command).not.toContain('#');
});

it('writes variables for secrets, named by their location', () => {
  const command = writeCurl(
    request({
      method: 'PUT',
      url: 'https://api.example.com/?page=1&api_key=[SANITIZED]&token=%5BSANITIZED%5D',
      headers: [
        ['authorization', 'Bearer [SANITIZED]'],
        ['x-api-key', '[SANITIZED]'],
      ],
    }),
    '{"user": "ann", "password": "[SANITIZED]"}',
  );
  expect(command.split('\n')[0]).toBe(
    '# Set IML_API_KEY, IML_TOKEN, IML_AUTHORIZATION, IML_X_API_KEY, IML_PASSWORD first.',
  );
  const env = {
    IML_API_KEY: 'a',
    IML_TOKEN: 'b',
    IML_AUTHORIZATION: "c'c",
    IML_X_API_KEY: 'd $d',
    IML_PASSWORD: 'e',
  };
  expect(argumentsOf(command, env)).toEqual([
    ...['-X', 'PUT', '--globoff', '--url', 'https://api.example.com/?page=1&api_key=a&token=b'],
    ...['-H', "authorization: Bearer c'c", '-H', 'x-api-key: d $d'],
    ...['--data-raw', '{"user": "ann", "password": "e"}'],
  ]);
});

it('adds curl options for patterns in an address and responses without a body', () => {
  const url = 'https://api.example.com/?filter[name]={a}';
  expect(argumentsOf(writeCurl(request({ method: 'HEAD', url }), undefined))).toEqual([
    '--head',
    '--globoff',
    '--url',
    url,
  ]);
});

it('quotes an empty body, and a body that is a secret', () => {
  expect(argumentsOf(writeCurl(request({ method: 'POST' }), ''))).toEqual([
    ...['-X', 'POST', '--url', 'https://api.example.com/', '--data-raw', ''],
  ]);
  expect(
    argumentsOf(writeCurl(request({}), 'grant=x&client_secret=[SANITIZED]&a=1'), {
      IML_CLIENT_SECRET: 's',
    }).at(-1),
  ).toBe('grant=x&client_secret=s&a=1');
  expect(argumentsOf(writeCurl(request({}), '[SANITIZED]'), { IML_SECRET: 's' }).at(-1)).toBe('s');
});

it('writes no command that executes content of a foreign trace', () => {
  const method = "GET; touch $(id) `id` 'x";
  const headers = [
    ['@/etc/passwd', 'x'],
    ["x'; id; '", 'x'],
  ] as const;
  const url = '--config=/etc/hosts';
  expect(argumentsOf(writeCurl(request({ method, url, headers }), undefined))).toEqual([
    ...['-X', method, '--url', url],
  ]);
});
