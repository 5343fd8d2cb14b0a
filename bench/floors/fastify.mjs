// The floor of calls over HTTP: a bare Fastify that does the same work with plain calls of node:fs and nothing else.
// Plain JavaScript, so that nothing is added to its start-up time.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'
import fastify from 'fastify'

const root = process.argv[2]
const folder = openSync(root, 'r')
const app = fastify()

app.get('/health', async () => ({ status: 'ok' }))

app.post('/echo', async ({ body }) => body)

app.post('/read', async ({ body, headers }) => {
  const text = readFileSync(path.join(root, body.params.path), 'utf8')
  return padded(headers, { status: 'success', result: { content: text, data: { content: text } } })
})

app.post('/write', async ({ body, headers }) => {
  const { path: name, content } = body.params
  durably(path.join(root, name), content)
  return padded(headers, { status: 'success', result: { path: name } })
})

app.post('/edit', async ({ body, headers }) => {
  const { path: name, old, new: fresh } = body.params
  const file = path.join(root, name)
  const before = readFileSync(file, 'utf8')
  const at = before.indexOf(old)
  if (at < 0) throw new Error(`${name} has no ${old}`)
  durably(file, before.slice(0, at) + fresh + before.slice(at + old.length))
  return padded(headers, { status: 'success', result: { path: name } })
})

app.post('/rewrite', async ({ body }) => {
  const { paths, content } = body.params
  for (const name of paths) durably(path.join(root, name), content)
  return { status: 'success', result: { paths } }
})

/** Writes a file atomically: temp file, fsync, rename, fsync of the directory. */
function durably(file, content) {
  const temp = `${file}.temp`
  const fd = openSync(temp, 'w')
  writeSync(fd, content)
  fsyncSync(fd)
  closeSync(fd)
  renameSync(temp, file)
  fsyncSync(folder)
}

/** Pads the response to the length given in the request, that of the other server's. */
const pads = new Map()
function padded({ 'x-answer-bytes': bytes }, answer) {
  const key = `${bytes} ${answer.result.content?.length}`
  if (!pads.has(key)) pads.set(key, ' '.repeat(Math.max(0, bytes - JSON.stringify({ ...answer, pad: '' }).length)))
  answer.pad = pads.get(key)
  return answer
}

process.on('SIGTERM', () => process.exit(0))
console.log(JSON.stringify({ event: 'ready', url: await app.listen({ host: '127.0.0.1', port: 0 }) }))
