import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVE_COMMAND } from '../../src/tools/cli/commands/serve.js';
import { parseArguments } from '../../src/tools/cli/input/parse-arguments.js';
import { readServeSettings, withConfigFile } from '../../src/tools/cli/input/serve-options.js';

type Arguments = ReturnType<typeof parseArguments>;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'iml-config-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function read(text: string, ...line: string[]): Promise<Arguments> {
  await writeFile(path.join(folder, 'host.json'), text);
  const args = parseArguments(SERVE_COMMAND, ['--config', 'host.json', ...line]);
  return withConfigFile(args, SERVE_COMMAND, folder);
}

const FILE = `{
  // Options that the command line omits.
  "apps": ["crm", "/srv/mail"],
  "scenarios": "scenarios.json",
  "port": 8181,
  "host-limit": { "maxQueued": 500, "concurrency": 7 },
  "run-limit": { "timeoutMs": 60000 },
  "allow": ["10.0.0.7", "example.internal"],
  "metrics": true,
  "prune": false,
  "stdout": "none"
}`;

describe('the file of --config', () => {
  it('sets options that the command line omits, with paths relative to the file', async () => {
    const args = await read(FILE);
    expect(args.positionals).toEqual([path.join(folder, 'crm'), '/srv/mail']);
    expect(args.text('scenarios')).toBe(path.join(folder, 'scenarios.json'));
    expect(args.texts('allow')).toEqual(['10.0.0.7', 'example.internal']);
    expect([args.isSet('metrics'), args.isSet('prune'), args.isSet('quiet')]).toEqual([true, false, false]);
    expect(readServeSettings(args)).toMatchObject({
      port: 8181,
      output: 'none',
      limits: { maxQueued: 500, concurrency: 7 },
      engine: { limits: { timeoutMs: 60_000 } },
    });
  });

  it('has lower precedence than the command line', async () => {
    const args = await read(FILE, 'other', '--port', '9000', '--host-limit', 'maxQueued=1');
    expect([args.positionals, args.text('port'), args.texts('host-limit')]).toEqual([
      ['other'],
      '9000',
      ['maxQueued=1'],
    ]);
  });

  it('raises the payload limit of webhooks unless they have their own limit', async () => {
    const bytesOf = async (text: string): Promise<unknown> =>
      readServeSettings(await read(text)).engine.webhookLimits?.maxBodyBytes;
    expect(await bytesOf('{ "host-limit": { "maxBodyBytes": 9 } }')).toBe(9);
    expect(
      await bytesOf('{ "host-limit": { "maxBodyBytes": 9 }, "webhook-limit": { "maxBodyBytes": 8 } }'),
    ).toBe(8);
  });

  it.each([
    ['[]', 1, 'Expected an object with options.'],
    ['{\n "prot": 1 }', 2, '"prot" is not an option. Did you mean "port"?'],
    ['{ "metrics": "yes" }', 1, '"metrics" must be true or false.'],
    ['{ "port": [1] }', 1, '"port" must be a text or a number.'],
    ['{ "host-limit": ["maxQueued=1"] }', 1, '"host-limit" must be an object.'],
    ['{ "host-limit": { "maxQueued": true } }', 1, '"maxQueued" must be a text or a number.'],
    ['{ "allow": ["a",\n 7, null] }', 2, '"allow" must be a text or a list of texts.'],
    ['{ "config": "other.json" }', 1, '"config" is not an option.'],
  ])('is refused with the source location: %s', async (text, line, message) => {
    const failure = await read(text).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'HOST_FILE', place: { file: 'host.json', line } });
    expect((failure as Error).message).toContain(message);
  });

  it.each([
    [['--host-limit', 'maxQueue=1'], '--host-limit: Unknown limit "maxQueue". Did you mean "maxQueued"?'],
    [['--run-limit', 'maxPages'], '--run-limit: "maxPages" is not NAME=NUMBER.'],
    [['--webhook-limit', 'maxQueued=1'], '--webhook-limit: Unknown limit "maxQueued".'],
    [['--stdout', 'all'], '--stdout: Expected one of bundles, none; got "all".'],
  ])('is refused for invalid options: %j', async (line, message) => {
    const args = await read('{}', ...line);
    expect(() => readServeSettings(args)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });

  it('must exist', async () => {
    const args = parseArguments(SERVE_COMMAND, ['--config', 'none.json']);
    await expect(withConfigFile(args, SERVE_COMMAND, folder)).rejects.toMatchObject({ code: 'USAGE' });
  });
});
