import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SOURCE = path.resolve(import.meta.dirname, '../../src');

export interface SourceImport {
  /** Path below src, with `/`. */
  readonly from: string;
  /** The specifier, or for a source file its path below src. */
  readonly to: string;
  readonly isInternal: boolean;
  readonly isType: boolean;
  /** `import()`, which loads lazily. */
  readonly isDynamic: boolean;
}

const IMPORT =
  /^\s*(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|^\s*import\s+'([^']+)'/gm;

/** All files below src. */
export const sourceFiles: readonly string[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.split(path.sep).join('/'));

/** All imports of all files below src. */
export const sourceImports: readonly SourceImport[] = sourceFiles.flatMap((from) => {
  const text = readFileSync(path.join(SOURCE, from), 'utf8');
  return [...text.matchAll(IMPORT)].map((match) => {
    const written = match[2] ?? match[3] ?? match[4] ?? '';
    const isInternal = written.startsWith('.');
    const to = isInternal ? sourceOf(path.posix.join(path.posix.dirname(from), written)) : written;
    return { from, to, isInternal, isType: match[1] !== undefined, isDynamic: match[3] !== undefined };
  });
});

/** The source file of a compiled file name. */
function sourceOf(built: string): string {
  const file = built.replace(/\.js$/, '.ts');
  return sourceFiles.includes(file)
    ? file
    : `${file}x`.replace(/\.tsx$/, sourceFiles.includes(`${file}x`) ? '.tsx' : '.ts');
}

/** The libraries that importing a file loads at once, without Node modules. */
export function librariesLoadedBy(entry: string): readonly string[] {
  const seen = new Set<string>();
  const libraries = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { from, to, isInternal, isType, isDynamic } of sourceImports) {
      if (from !== file || isType || isDynamic) continue;
      if (isInternal) visit(to);
      else if (!to.startsWith('node:')) libraries.add(to);
    }
  };
  visit(entry);
  return [...libraries].sort();
}

/** The Node modules that importing a file loads at once. */
export function nodeModulesLoadedBy(entry: string): readonly string[] {
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { from, to, isInternal, isType } of sourceImports) {
      if (from !== file || isType) continue;
      if (isInternal) visit(to);
      else if (to.startsWith('node:')) found.add(to);
    }
  };
  visit(entry);
  return [...found].sort();
}
