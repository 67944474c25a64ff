import path from 'node:path';
import { expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const FUNCTIONS = {
  'makecomapp.json': {
    generalCodeFiles: {},
    components: {
      module: { go: { moduleType: 'action', codeFiles: { communication: 'go.json' } } },
      function: {
        broken: { codeFiles: { code: 'broken.js' } },
        absent: { codeFiles: { code: 'absent.js' } },
        upper: { codeFiles: { code: 'upper.js' } },
        other: { codeFiles: { code: 'other.js' } },
      },
    },
  },
  'go.json': { response: { output: '{{upper("a")}}' } },
  'broken.js': 'function broken( {',
  'upper.js': 'function upper(text) { return "mine: " + text; }',
  // Only a run finds out that it has another name.
  'other.js': 'function another() {}',
};

it('tells what is wrong with a custom function once, though a run finds it again', async () => {
  const { code, out, err } = await cli(['run', '.', 'go'], { cwd: writeApp(FUNCTIONS) });
  expect({ code, out }).toEqual({ code: 0, out: '"mine: a"\n' });
  const lines = err.trim().split('\n');
  for (const file of ['broken.js', 'absent.js', 'upper.js', 'other.js'])
    expect(lines.filter((line) => line.includes(file))).toHaveLength(1);
});

it('names files as they are reached from here, and by their own path where that is shorter', async () => {
  const app = writeApp(FUNCTIONS);
  const near = await cli(['info', '.'], { cwd: app });
  expect(near.out).toMatch(/^ {2}broken\.js:\d/m);
  const above = await cli(['info', path.basename(app)], { cwd: path.dirname(app) });
  expect(above.out).toContain(`  ${path.basename(app)}/broken.js:`);
  const far = await cli(['info', app], { cwd: import.meta.dirname });
  expect(far.out).toContain(`  ${path.join(app, 'broken.js')}:`);
});
