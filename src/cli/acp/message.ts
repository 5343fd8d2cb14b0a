// Messages of the Agent Client Protocol: JSON-RPC, one message a line.

/** A request, a notification or a response. Params and results are those of the protocol, which the peers validate. */
export interface AcpMessage {
  jsonrpc: '2.0'
  id?: string | number | null
  method?: string
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's schema is the peers' contract
  params?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  result?: any
  error?: { code: number; message: string; data?: unknown }
}

/** Code of an error that is not one of the protocol. */
const INTERNAL_ERROR = -32_603
const INVALID_PARAMS = -32_602

/** An error that is returned to the sender of a request. */
export class AcpError extends Error {
  readonly code: number

  constructor(message: string, code: number = INTERNAL_ERROR) {
    super(message)
    this.code = code
  }
}

/** Creates the error of a request with params that the protocol does not allow. */
export const invalidParams = (message: string) => new AcpError(message, INVALID_PARAMS)

export const toErrorResponse = (id: AcpMessage['id'], error: unknown): AcpMessage => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  error: {
    code: error instanceof AcpError ? error.code : INTERNAL_ERROR,
    message: error instanceof Error ? error.message : String(error)
  }
})
