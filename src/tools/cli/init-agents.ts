import path from 'node:path';
import { editJson } from '../../engine/document/edit-json.js';
import { readDocument } from '../../engine/document/jsonc.js';
import { createFolderWriter, relativePath } from '../../shared/files.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import { insertBlock } from '../life/marked-block.js';
import { printJson } from '../life/new-files.js';
import { type Arguments, EXIT, usageError } from './command.js';
import type { Io } from './io.js';
import { findAppFolder, locateApp } from './open-app.js';
import { readIfThere, refuseWrite } from './output/output-file.js';
import { printableLine } from './output/terminal-text.js';

const AGENTS_FILE = 'AGENTS.md';
const MCP_FILE = '.mcp.json';

const MARKS = {
  begin: '<!-- iml init agents: begin. Text between these lines is generated. -->',
  end: '<!-- iml init agents: end -->',
};

/** Writes the instructions and the MCP server for assistants to the current folder. Keeps other content of these files. */
export async function initAgents(args: Arguments, io: Io): Promise<number> {
  const [, target, extra] = args.positionals;
  if (extra !== undefined) throw usageError(`Unexpected argument "${extra}".`);
  const { folder } = await locateApp(await findAppFolder(target, io), io);
  const app = relativePath(io.cwd, folder) || '.';
  const written: string[] = [];
  const put = async (file: string, content: string): Promise<void> => {
    if (content === readIfThere(path.join(io.cwd, file))) return;
    await createFolderWriter(io.cwd)
      .replace(path.join(io.cwd, file), content)
      .catch(refuseWrite('init agents', file));
    written.push(file);
  };
  const mcp = addServer(readIfThere(path.join(io.cwd, MCP_FILE)), app);
  await put(AGENTS_FILE, addSection(readIfThere(path.join(io.cwd, AGENTS_FILE)), app));
  if (mcp !== undefined) await put(MCP_FILE, mcp);
  const kept = mcp === undefined ? `${MCP_FILE} has a server "iml" already, which stays.\n` : '';
  const done = written.length === 0 ? 'Nothing to write.' : `Written: ${written.join(', ')}.`;
  await io.stderr.write(`${kept}${done}\n`);
  return EXIT.ok;
}

/** @throws EngineError (USAGE) if only one of the lines around the section is there */
function addSection(page: string | undefined, app: string): string {
  const text = [
    '## Make app',
    '',
    `The folder \`${printableLine(app)}\` is a custom app for Make (IML JSON). Use \`iml\` to work on it:`,
    '',
    '- Read `node_modules/iml-runtime/docs/skills/iml/SKILL.md` before the first change.',
    '- After each change run `npx --no iml check`, then `npx --no iml test`. Both send nothing.',
    '- Run a component with `npx --no iml run`, with a stored connection. Never write credentials to a file.',
    `- The MCP server \`iml\` in \`${MCP_FILE}\` offers the same as tools.`,
    '',
  ].join('\n');
  try {
    return insertBlock(page, text, MARKS);
  } catch (error) {
    throw usageError(
      `init agents: ${AGENTS_FILE}: ${(error as Error).message}. It was left as it is.`,
      error,
    );
  }
}

/** @returns undefined if the file has another server of this name */
function addServer(text: string | undefined, app: string): string | undefined {
  // Without --no, npx would fetch another package of this name where this one is not installed.
  const server = { command: 'npx', args: ['--no', 'iml', 'mcp', app, '--author'] };
  if (text === undefined) return printJson({ mcpServers: { iml: server } });
  const { value } = readDocument(text, MCP_FILE);
  const servers = isPlainObject(value) ? ownMember(value, 'mcpServers') : undefined;
  const known = isPlainObject(servers) ? ownMember(servers, 'iml') : undefined;
  if (!isPlainObject(value) || (servers !== undefined && !isPlainObject(servers))) {
    throw usageError(`init agents: ${MCP_FILE} is no object with "mcpServers". It was left as it is.`);
  }
  if (known !== undefined) return JSON.stringify(known) === JSON.stringify(server) ? text : undefined;
  return editJson(text, [{ path: ['mcpServers', 'iml'], value: server }]);
}
