import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import {
  createGithubReport,
  createHumanReport,
  createJunitReport,
} from '../../src/tools/cli/tests/reporters.js';
import type { TestResult } from '../../src/tools/testing/index.js';

/** Names and values of an app or an API: workflow commands, markup, and terminal control sequences. */
const TEXTS = [
  ...['::error::owned', 'a\n::add-mask::b', 'a\r\n  ::stop-commands::b', 'x,title=y::z', '%0A::error::x'],
  ...[
    ']]><testcase/>',
    '"><failure message="x"/>',
    '&lt;b&gt; &#10;',
    '# SKIP',
    '\\',
    '1..0',
    '  ---\n  ...',
  ],
  ...['\u001b[2Jgone', '\u009b31mred', '\u0007\u0008', '\u202eabc', '\u0000', '\ud800', '\u2028::error::x'],
];

const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not come out.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

async function report(create: typeof createJunitReport, text: string): Promise<string> {
  const context = {
    pathOf: (file: string) => file,
    frameOf: async () => text,
    hasColors: false,
    isVerbose: true,
  };
  const reporter = create(context);
  const place = { file: `tests/${text}.test.json`, line: 1, column: 1 };
  const failure = {
    message: text,
    isDifference: true,
    expected: text,
    got: [text],
    reason: text,
    place,
    origin: { file: text, pointer: `/${text}` },
  };
  const result = { kind: 'case', name: text, file: place.file, durationMs: 1 } as const;
  const results: readonly TestResult[] = [
    { ...result, status: 'failed', failures: [failure], notes: [text] },
    { ...result, status: 'passed', failures: [], notes: [text] },
    { ...result, status: 'skipped', failures: [], notes: [text] },
  ];
  let written = '';
  for (const one of results) written += await reporter.report(one);
  return written + reporter.finish({ passed: 1, failed: 1, skipped: 1, todo: 1, durationMs: 3 });
}

describe.each(TEXTS.map((text) => [JSON.stringify(text), text]))('a test named %s', (_, text) => {
  it.each([
    ['human', createHumanReport],
    ['github', createGithubReport],
    ['junit', createJunitReport],
  ] as const)('steers nothing in the report for %s', async (__, create) => {
    expect(await report(create, text)).not.toMatch(STEERING);
  });

  it('contains only its own GitHub commands', async () => {
    const lines = (await report(createGithubReport, text)).trimEnd().split(/\r\n|\r|\n/);
    expect(lines.map((line) => /^::(\w+)/.exec(line)?.[1])).toEqual([
      'error',
      'notice',
      'notice',
      'notice',
      'notice',
    ]);
  });

  it('gives a runner of CI no command in the report for people', async () => {
    expect(await report(createHumanReport, text)).not.toMatch(/(?:^|[\r\n])[^\S\n]*(?:::|##\[)/);
  });

  it('has three cases in JUnit', async () => {
    const names: string[] = [];
    const parser = new SaxesParser({ xmlns: false, position: false });
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('opentag', ({ name }) => {
      names.push(name);
    });
    parser.write(await report(createJunitReport, text)).close();
    expect(names).toEqual([
      ...['testsuites', 'testsuite', 'testcase', 'failure', 'system-out', 'testcase', 'system-out'],
      ...['testcase', 'skipped'],
    ]);
  });
});
