// Messages of models with tool calls, as Chat Completions has them.

/** Returns an assistant message with these calls. */
export const chat = (...tool_calls: object[]) => ({ role: 'assistant', content: null, refusal: null, tool_calls })

/** Returns a call; arguments that are a text are sent as they are. */
export const chatCall = (id: string, name: string, args: object | string) => ({
  id,
  type: 'function',
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
})
