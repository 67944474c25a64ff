import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A fenced block of a page. */
export interface CodeBlock {
  /** Relative to the repository. */
  readonly page: string;
  /** Line number of the first line of code, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** The HTML comment above the block: `run`, `start` (runs until the page ends), `file: PATH`, or `unchecked: REASON`. */
  readonly mark: string | undefined;
}

const FENCE = /^(\s*)(`{3,})([\w-]*)\s*$/;
const MARK = /^\s*<!--\s*(run|start|file: .+?|unchecked: .+?)\s*-->\s*$/;

/** The fenced blocks of README.md and of the pages in docs/, except the generated ones in docs/api/. */
export function listCodeBlocks(root: string): readonly CodeBlock[] {
  return listPages(root).flatMap((page) => readBlocks(page, readFileSync(path.join(root, page), 'utf8')));
}

function listPages(root: string): readonly string[] {
  const below = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.startsWith('api/'),
  );
  return [
    'README.md',
    ...below.filter((file) => file.endsWith('.md')).map((file) => path.posix.join('docs', file)),
  ];
}

function readBlocks(page: string, text: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const [, indent = '', fence, language = ''] = FENCE.exec(lines[index] ?? '') ?? [];
    if (fence === undefined) continue;
    const start = index + 1;
    let end = start;
    while (end < lines.length && lines[end]?.trim() !== fence) end++;
    const code = lines
      .slice(start, end)
      .map((line) => line.slice(indent.length))
      .join('\n');
    const mark = MARK.exec(lines[index - 1] ?? '')?.[1];
    blocks.push({ page, line: start + 1, language, code, mark });
    index = end;
  }
  return blocks;
}
