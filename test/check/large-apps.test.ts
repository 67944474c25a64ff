import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { JsonIndex } from '../../src/engine/document/jsonc.js';
import { createFrameReader, frameLine } from '../../src/engine/loading/spec-frame.js';
import { cpuMsOf } from '../cpu-time.js';
import { checkFolder } from './check-folder.js';

const folder = await mkdtemp(path.join(tmpdir(), 'iml-large-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a check with a finding in each of many places', () => {
  it('needs time in proportion to the number of findings', async () => {
    const checking = async (count: number): Promise<number> => {
      const root = path.join(folder, `${count}`);
      const communication = { url: '/x', method: 'POST', body: { t: '{{body.a}} and '.repeat(count) } };
      const codeFiles = { communication: 'm.json', mappableParams: null, interface: null, samples: null };
      const module = { m: { label: 'M', moduleType: 'action', codeFiles } };
      await mkdir(root);
      await writeFile(path.join(root, 'm.json'), JSON.stringify(communication));
      await writeFile(
        path.join(root, 'makecomapp.json'),
        JSON.stringify({ fileVersion: 1, generalCodeFiles: {}, components: { module } }),
      );
      return cpuMsOf(async () => {
        const { findings } = await checkFolder(root);
        expect(findings.filter(({ rule }) => rule === 'unknown-name')).toHaveLength(count);
      });
    };
    await checking(200);
    const few = await checking(5000);
    // Linear time is four times as much, quadratic time sixteen times.
    expect(await checking(20_000)).toBeLessThan(9 * few);
  });

  it('finds source locations in a long text in reverse order', () => {
    const text = JSON.stringify('a\n'.repeat(500_000));
    const index = new JsonIndex(text);
    // An assertion costs more than a search.
    let wrong = 0;
    for (let asked = 999_999; asked > 0; asked -= 3) {
      if (index.offsetInString(0, asked) !== 1 + asked + Math.floor(asked / 2)) wrong++;
    }
    expect(wrong).toBe(0);
    expect(index.offsetInString(0, 2_000_000)).toBe(text.length - 1);
  });

  it('reads a file once to show its lines', async () => {
    const file = path.join(folder, 'lines.txt');
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`);
    await writeFile(file, lines.join('\r\n'));
    const text = await readFile(file, 'utf8');
    const readFrame = createFrameReader(folder);
    expect(await readFrame({ file: 'lines.txt', line: 7, column: 3 })).toBe('7 | line 7\n  |   ^');
    await rm(file);
    for (let line = 1; line <= 20_000; line += 1) {
      expect(
        (await readFrame({ file: 'lines.txt', line, column: 1 })) ===
          `${line} | line ${line}\n${' '.repeat(String(line).length)} | ^`,
      ).toBe(true);
    }
    expect(await readFrame({ file: 'lines.txt', line: 20_001, column: 1 })).toBeUndefined();
    expect(await readFrame({ file: 'none.txt', line: 1, column: 1 })).toBeUndefined();
    expect(frameLine(text, { line: 2, column: 400 })).toBe('2 | line 2\n  |       ^');
  });
});
