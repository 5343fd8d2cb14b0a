// The floor of commands: a small process that starts given programs and measures from start to the end of output.
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

const running = new Set()
process.on('disconnect', () => {
  for (const child of running) {
    child.kill('SIGKILL')
    for (const stream of child.stdio) stream?.destroy()
  }
})

process.on('message', ({ id, command: { file, args, cwd, env, inherit = [] } }) => {
  const began = performance.now()
  const files = inherit.map(name => openSync(name, 'r'))
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', ...files] })
  for (const fd of files) closeSync(fd)
  running.add(child)
  const parts = []
  child.stdout.on('data', part => parts.push(part))
  child.stderr.resume()
  child.on('close', code => {
    running.delete(child)
    const ms = performance.now() - began
    process.send({ id, ran: { ms, code, stdout: Buffer.concat(parts).toString() } })
  })
})
