import { type Arguments, type Command, EXIT, readVersion, usageError } from '../command.js';

export const LSP_COMMAND: Command = {
  name: 'lsp',
  about: 'Language server for editors: diagnostics, completion, hover, rename and more.',
  positionals: [],
  options: { stdio: { help: 'Uses standard input and output (the only transport).' } },
  examples: ['iml lsp --stdio'],
  notes: ['Editors start it: see docs/editors.md.'],
  run: serve,
};

async function serve(args: Arguments): Promise<number> {
  if (!args.isSet('stdio')) throw usageError('iml lsp needs --stdio.');
  const { serveLsp } = await import('../../lsp/serve-lsp.js');
  serveLsp(readVersion());
  // The protocol ends the process: `exit`, or a closed stream.
  await new Promise(() => {});
  return EXIT.ok;
}
