import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import { type CoverageCollector, collectCoverage } from '../../testing/suite/collect-coverage.js';
import {
  type AppCoverage,
  describeCoverage,
  printCoverageText,
  printLcov,
} from '../../testing/suite/print-coverage.js';
import type { Arguments } from '../command.js';
import type { Io } from '../io.js';
import { printPrettyJson } from '../output/json-output.js';
import { writeOutputFile } from '../output/output-file.js';
import { printable } from '../output/terminal-text.js';
import { usageError } from '../usage-error.js';

/** Format of a `--coverage` value. */
export const COVERAGE_FORMAT: RegExp = /^(?:text|json|lcov)(?:=.+)?$/;

type Format = 'text' | 'json' | 'lcov';

const DEFAULT_FILES: Readonly<Record<Exclude<Format, 'text'>, string>> = {
  json: 'coverage/coverage.json',
  lcov: 'coverage/lcov.info',
};

interface Target {
  readonly format: Format;
  /** Undefined for standard output. */
  readonly file: string | undefined;
}

/** Coverage of a test run. */
export interface Coverage {
  readonly ofApp: (app: App, root: string) => CoverageCollector;
  readonly write: (io: Io) => Promise<void>;
}

/**
 * Collects coverage with `--coverage`.
 *
 * @throws EngineError (USAGE) for an unknown format
 */
export function openCoverage(args: Arguments, io: Io): Coverage | undefined {
  if (!args.isSet('coverage')) return undefined;
  const targets = args.texts('coverage').map((text): Target => readTarget(text, io));
  const collected: { readonly root: string; readonly collector: CoverageCollector }[] = [];
  return {
    ofApp: (app, root) => {
      const collector = collectCoverage(app);
      collected.push({ root, collector });
      return collector;
    },
    write: async () => {
      const apps = collected.map(
        ({ root, collector }): AppCoverage => ({
          points: collector.points(),
          pathOf: (file) => path.relative(io.cwd, path.join(root, file)) || file,
        }),
      );
      for (const { format, file } of targets) await put(print(format, apps), file, io);
    },
  };
}

function readTarget(text: string, io: Io): Target {
  const [name = '', ...rest] = (text === '' ? 'text' : text).split('=');
  const format = (['text', 'json', 'lcov'] as const).find((known) => known === name);
  if (format === undefined) throw usageError(`--coverage: Expected one of text, json, lcov; got "${name}".`);
  const given = rest.join('=') || (format === 'text' ? undefined : DEFAULT_FILES[format]);
  return { format, file: given === undefined ? undefined : path.resolve(io.cwd, given) };
}

function print(format: Format, apps: readonly AppCoverage[]): string {
  if (format === 'text') return apps.map(printCoverageText).join('\n');
  if (format === 'lcov') return apps.map(printLcov).join('');
  return `${printPrettyJson({ apps: apps.map(describeCoverage) })}\n`;
}

async function put(text: string, file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) {
    await io.stdout.write(printable(text));
    return;
  }
  await writeOutputFile('--coverage', { cwd: io.cwd, file, content: text });
}
