import type { Socket } from 'node:net';

/**
 * Lines that the parser of all connections is given in one turn of the event loop, and those of one connection before the next has
 * its share. A request without a body has three, a chunk two: each costs some microseconds, however few bytes it has, while bytes
 * without line ends cost next to nothing. [choice]
 */
const MAX_LINES_A_TURN = 1024;
const MAX_LINES_AT_ONCE = 512;

const LINE_FEED = 10;

/** What a connection has sent that the parser has not been given. */
interface Connection {
  readonly socket: Socket;
  /** The socket's own `push`. */
  readonly push: (piece: Buffer | null) => boolean;
  readonly held: Buffer[];
  hasEnded: boolean;
  isQueued: boolean;
  /** As the stream said last. */
  wantsMore: boolean;
  passedBytes: number;
}

const CONNECTIONS = new WeakMap<Socket, Connection>();

/** Bytes of a connection that the parser has been given: `bytesRead`, less what is held back. */
export function countPassedBytes(socket: Pick<Socket, 'bytesRead'>): number {
  return CONNECTIONS.get(socket as Socket)?.passedBytes ?? socket.bytesRead;
}

/** Gives the parser what connections send, a share at a time. */
export interface ReadPacer {
  /** Call it once the HTTP server has taken the connection, before anything was read. */
  readonly pace: (socket: Socket) => void;
}

/**
 * Node reads 64 KiB of every connection that has sent something before anybody else gets a turn, and its parser cannot be stopped within
 * them: hundreds of connections that send requests or chunks of a few bytes hold the process up for seconds. So what is read goes to the
 * parser in pieces of a bounded number of lines, by turns; a connection of which something is held back is not read. What is left of one that
 * was ended in between costs nothing.
 *
 * @param maxHeldBytes of all connections together; one that goes beyond is ended
 */
export function createReadPacer(maxHeldBytes: number): ReadPacer {
  const queue: Connection[] = [];
  let heldBytes = 0;
  let linesLeft = MAX_LINES_A_TURN;
  let isTurnOpen = false;

  /** Lines are counted from the first one of a turn until what is due after it. */
  const openTurn = (): void => {
    if (isTurnOpen) return;
    isTurnOpen = true;
    setImmediate(() => {
      isTurnOpen = false;
      linesLeft = MAX_LINES_A_TURN;
      if (queue.length > 0) work();
    });
  };

  const work = (): void => {
    openTurn();
    while (linesLeft > 0) {
      const connection = queue.shift();
      if (connection === undefined) return;
      connection.isQueued = false;
      passOn(connection);
    }
  };

  const enqueue = (connection: Connection): void => {
    if (connection.isQueued) return;
    connection.isQueued = true;
    queue.push(connection);
  };

  const passOn = (connection: Connection): void => {
    const { socket, held, push } = connection;
    if (socket.destroyed) drop(connection);
    const first = held.shift();
    if (first === undefined) return;
    const { length, lines } = cut(first, Math.min(linesLeft, MAX_LINES_AT_ONCE));
    linesLeft -= lines;
    heldBytes -= length;
    connection.passedBytes += length;
    if (length < first.byteLength) held.unshift(first.subarray(length));
    connection.wantsMore = push(first.subarray(0, length));
    if (held.length === 0) {
      if (!connection.hasEnded) return;
      push(null);
      socket.read(0);
    } else if (connection.wantsMore) {
      enqueue(connection);
    }
  };

  const take = (connection: Connection, chunk: Buffer | null): boolean => {
    const { held, push, socket } = connection;
    if (chunk === null) {
      if (held.length === 0) return push(null);
      connection.hasEnded = true;
      return false;
    }
    held.push(chunk);
    heldBytes += chunk.byteLength;
    enqueue(connection);
    work();
    if (held.length === 0) return connection.wantsMore;
    if (heldBytes > maxHeldBytes) socket.destroy();
    return false;
  };

  const drop = ({ held }: Connection): void => {
    for (const { byteLength } of held.splice(0)) heldBytes -= byteLength;
  };

  const pace = (socket: Socket): void => {
    const connection: Connection = {
      socket,
      push: socket.push.bind(socket),
      held: [],
      hasEnded: false,
      isQueued: false,
      wantsMore: true,
      passedBytes: 0,
    };
    CONNECTIONS.set(socket, connection);
    const read = socket._read.bind(socket);
    // Between the handle and the stream, so that pauses of the stream hold as ever.
    socket.push = (chunk: Buffer | null) => take(connection, chunk);
    socket._read = (size) => {
      if (connection.held.length === 0) return read(size);
      enqueue(connection);
      openTurn();
    };
    socket.once('close', () => drop(connection));
    readAsStream(socket);
  };
  return { pace };
}

/** The HTTP server reads past the stream until somebody listens to it. */
function readAsStream(socket: Socket): void {
  const listener = (): void => {};
  socket.on('data', listener);
  socket.off('data', listener);
}

/** How much of a chunk has at most that many lines. */
function cut(chunk: Buffer, maxLines: number): { readonly length: number; readonly lines: number } {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
    if (++lines === maxLines) return { length: at + 1, lines };
  }
  return { length: chunk.byteLength, lines };
}
