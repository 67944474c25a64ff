import type { Arguments } from '../command.js';
import { type Io, isBrokenPipe, type Output } from '../io.js';

/**
 * Where a run is recorded it goes on to its end, also when whoever reads the output has gone (`| head`): what is written
 * to the file is the point of it. What nobody reads is dropped.
 */
export function dropUnreadOutput(args: Arguments, io: Io): Io {
  if (!args.isSet('record') && !args.isSet('har')) return io;
  return { ...io, stdout: dropUnread(io.stdout), stderr: dropUnread(io.stderr) };
}

function dropUnread(output: Output): Output {
  let isClosed = false;
  return {
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    write: async (text) => {
      if (isClosed) return;
      await output.write(text).catch((error: unknown) => {
        if (!isBrokenPipe(error)) throw error;
        isClosed = true;
      });
    },
  };
}
