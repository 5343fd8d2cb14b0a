// The floor of commands: a small process that starts what it is told and measures from start to the end of its output.
import { spawn } from 'node:child_process'

process.on('message', ({ id, command: { file, args, cwd, env } }) => {
  const began = performance.now()
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const parts = []
  child.stdout.on('data', part => parts.push(part))
  child.stderr.resume()
  child.on('close', code => {
    const ms = performance.now() - began
    process.send({ id, ran: { ms, code, stdout: Buffer.concat(parts).toString() } })
  })
})
