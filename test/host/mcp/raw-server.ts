// An MCP server whose answers are JSON texts from a file, so that they may hold what JavaScript would not write: node raw-server.ts
// ANSWERS REQUESTS. Each request of a call is appended to the second file as it arrived. A text that begins with "!" is the whole
// response but for its id.
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [answers, requests] = process.argv.slice(2) as [string, string]
const { tools, results } = JSON.parse(readFileSync(answers, 'utf8')) as {
  tools: string[]
  results: Record<string, string>
}
const HELLO = '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}'

createInterface({ input: process.stdin })
  .on('line', line => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    const respond = (rest: string) => process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}}\n`)
    const give = (result: string) => respond(`"result":${result}`)
    if (method === 'initialize') return give(HELLO)
    if (method === 'tools/list') return give(`{"tools":[${tools.join(',')}],"nextCursor":null}`)
    if (method !== 'tools/call') return respond('"error":{"code":-32601,"message":"Method not found"}')
    appendFileSync(requests, `${line}\n`)
    const answer = results[params.name]
    if (answer === undefined) return
    if (answer.startsWith('!')) respond(answer.slice(1))
    else give(answer)
  })
  .on('close', () => process.exit(0))
