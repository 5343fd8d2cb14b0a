// Shares of the connections and event streams. A token that may not approve gets a part of them, and a new connection displaces
// an idle one where there are too many, so that a person who approves always gets in. All listeners share the limits.
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { restrictedShare } from '../../engine/call-owners.ts'
import { ToolError } from '../../errors.ts'

/** Maximum number of open event streams of a token that may not approve. */
const MAX_STREAMS = 64
/** Share of the connections for one token that may not approve, and for all of them. */
const TOKEN_SHARE = 1 / 4
const ALL_TOKENS_SHARE = 3 / 4
/** A client needs several connections: the share of one token is not smaller, unless that of all is. */
const MIN_TOKEN_CONNECTIONS = 8
const RETRY_AFTER_S = 1

declare module 'fastify' {
  interface FastifyReply {
    /** Counts the response as an event stream of its caller; throws QUOTA_EXCEEDED if the caller has too many. */
    reserveEventStream(): void
  }
}

/** Replaces `maxConnections` of the server, which would refuse whichever connection comes last. */
export function installConnectionQuotas(app: FastifyInstance, max_connections: number) {
  const connections = new ConnectionQuotas(max_connections)
  const streams = new StreamQuotas()
  app.server.on('connection', (socket: Socket) => connections.accept(socket))
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config?.open) connections.assign(request, reply)
  })
  app.decorateReply('reserveEventStream', function (this: FastifyReply) {
    streams.reserve(this)
  })
}

interface Connection {
  /** The token that it was used with, or `approver` if that may approve; undefined until a request is authenticated. */
  holder?: { owner: string } | 'approver'
  /** Authenticated requests that are not answered completely. */
  requests: number
}

class ConnectionQuotas {
  readonly #max: number
  readonly #maxOfToken: number
  readonly #maxOfTokens: number
  /** The longest idle connection comes first. */
  readonly #connections = new Map<Socket, Connection>()

  constructor(most: number) {
    this.#max = most
    this.#maxOfTokens = Math.ceil(most * ALL_TOKENS_SHARE)
    this.#maxOfToken = Math.max(Math.ceil(most * TOKEN_SHARE), Math.min(MIN_TOKEN_CONNECTIONS, this.#maxOfTokens))
  }

  /** Closes the new connection if there are too many and none can be displaced. */
  accept(socket: Socket) {
    if (this.#connections.size >= this.#max) {
      const displaced = this.#findDisplaceable()
      if (displaced) this.#connections.delete(displaced)
      const closed = displaced ?? socket
      closed.destroy()
      if (closed === socket) return
    }
    this.#add(socket)
  }

  /** Counts the connection of an authenticated request for its token. Throws QUOTA_EXCEEDED if the token has too many. */
  assign({ caller, raw: { socket } }: FastifyRequest, reply: FastifyReply) {
    // Another listener's connection is known from its first request.
    const connection = this.#connections.get(socket) ?? this.#add(socket)
    const owner = restrictedShare(caller)
    if (owner === undefined) connection.holder = 'approver'
    else if (connection.holder !== 'approver' && connection.holder?.owner !== owner) {
      this.#assertShare(owner, reply)
      connection.holder = { owner }
    }
    connection.requests += 1
    reply.raw.once('close', () => {
      connection.requests -= 1
      // Now it is the one that has been idle for the shortest time.
      if (this.#connections.delete(socket)) this.#connections.set(socket, connection)
    })
  }

  #add(socket: Socket): Connection {
    const connection: Connection = { requests: 0 }
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#connections.delete(socket))
    return connection
  }

  #assertShare(owner: string, reply: FastifyReply) {
    const counts = this.#countByOwner()
    const own = counts.get(owner) ?? 0
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
    if (own < this.#maxOfToken && all < this.#maxOfTokens) return
    reply.header('connection', 'close')
    throw own >= this.#maxOfToken
      ? quotaError(
          'connections',
          this.#maxOfToken,
          `This token already has ${own} open connections, which is the maximum. Close one first.`
        )
      : quotaError(
          'connections',
          this.#maxOfTokens,
          `Call-only tokens already have ${all} open connections, which is the maximum. Try again later.`
        )
  }

  #countByOwner(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { holder } of this.#connections.values())
      if (typeof holder === 'object') counts.set(holder.owner, (counts.get(holder.owner) ?? 0) + 1)
    return counts
  }

  /** Finds the oldest one without authentication, else an idle one of the token with the most. */
  #findDisplaceable(): Socket | undefined {
    const counts = this.#countByOwner()
    let found: { socket: Socket; count: number } | undefined
    for (const [socket, { holder, requests }] of this.#connections) {
      if (holder === undefined) return socket
      if (holder === 'approver' || requests > 0) continue
      const count = counts.get(holder.owner)!
      if (!found || count > found.count) found = { socket, count }
    }
    return found?.socket
  }
}

class StreamQuotas {
  readonly #open = new Map<string, number>()

  reserve({ request: { caller }, raw }: FastifyReply) {
    const owner = restrictedShare(caller)
    // A client that has gone does not close again.
    if (owner === undefined || raw.destroyed) return
    const open = this.#open.get(owner) ?? 0
    if (open >= MAX_STREAMS)
      throw quotaError(
        'event_streams',
        MAX_STREAMS,
        `This token already has ${open} open event streams, which is the maximum. Close one first.`
      )
    this.#open.set(owner, open + 1)
    raw.once('close', () => {
      const left = this.#open.get(owner)! - 1
      if (left > 0) this.#open.set(owner, left)
      else this.#open.delete(owner)
    })
  }
}

const quotaError = (limit: string, max: number, message: string) =>
  new ToolError('QUOTA_EXCEEDED', message, { limit, max, retry_after_s: RETRY_AFTER_S })
