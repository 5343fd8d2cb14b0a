// Reads and copies extended attributes with GNU tar and cp, since Node has no calls for them. A shell that waits for orders starts
// them, so that no process is started by the server itself for each file.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type Attributes, buildArchive, readArchive } from './pax.ts'

/** A file to look at: a path that leads to an open descriptor. */
export interface LookedAt {
  path: string
  size: number
}

type HelperShell = ChildProcessByStdio<Writable, Readable, null>

interface PendingLook extends LookedAt {
  found: PromiseWithResolvers<Attributes | undefined>
}

/** The headers of one file fit in, as a rule: a value has 64 KiB at most on most file systems. */
const MAX_ARCHIVE_BYTES = 1024 * 1024
const MAX_FILES = 64
const MAX_BATCH_BYTES = 256 * 1024
const NOT_GNU = 3

// Archives stand before file contents, of which head takes as much as it gets.
const LOOP = `
for program in tar cp; do $program --version | grep -q GNU || exit ${NOT_GNU}; done
while read -r order from to; do
  case $order in
    look) tar -chP --format=posix --xattrs --xattrs-include='*' -f - $from $to | head -c ${MAX_ARCHIVE_BYTES} | base64 -w 0; echo ;;
    copy) cp --attributes-only --preserve=mode,xattr "$from" "$to"; echo $? ;;
    restore)
      folder=$(mktemp -d) && echo "$from" | base64 -d | tar -xp -C "$folder" --xattrs --xattrs-include='*' -f - &&
      cp --attributes-only --preserve=mode,xattr "$folder/file" "$to"
      echo $?
      rm -rf "$folder" ;;
  esac
done`

export class AttributeTools {
  #shell: HelperShell | undefined
  readonly #answers: PromiseWithResolvers<string | undefined>[] = []
  #looks: PendingLook[] = []
  #isLooking = false
  /** The programs of this machine cannot do it. */
  #isImpossible = false

  /** Returns the attributes of a file; undefined if they cannot be read. */
  look(file: LookedAt): Promise<Attributes | undefined> {
    const look = { ...file, found: Promise.withResolvers<Attributes | undefined>() }
    this.#looks.push(look)
    if (!this.#isLooking) void this.#lookAtAll()
    return look.found.promise
  }

  /** Gives a file the attributes, the access control list and the permission bits of another. Returns false if some are missing. */
  async copy(from: string, to: string): Promise<boolean> {
    return (await this.#order(`copy ${from} ${to}`)) === '0'
  }

  /** Gives a file these attributes. Returns false if some are missing. */
  async restore(attributes: Attributes, to: string): Promise<boolean> {
    return (await this.#order(`restore ${buildArchive('file', attributes).toString('base64')} ${to}`)) === '0'
  }

  /** Looks at files that come together at once, the last of them alone if it is large. */
  async #lookAtAll() {
    this.#isLooking = true
    while (this.#looks.length > 0) {
      const batch: PendingLook[] = []
      let bytes = 0
      while (this.#looks.length > 0 && batch.length < MAX_FILES && bytes < MAX_BATCH_BYTES) {
        const next = this.#looks.shift()!
        batch.push(next)
        bytes += next.size
      }
      const answer = await this.#order(`look ${batch.map(({ path }) => path).join(' ')}`)
      const entries = answer === undefined ? undefined : readArchive(Buffer.from(answer, 'base64'))
      for (const { path, found } of batch) found.resolve(entries?.get(path))
    }
    this.#isLooking = false
  }

  async #order(line: string): Promise<string | undefined> {
    if (this.#isImpossible) return undefined
    const answer = Promise.withResolvers<string | undefined>()
    this.#answers.push(answer)
    this.#shell ??= this.#start()
    this.#shell.stdin.write(`${line}\n`)
    this.#ref(true)
    return answer.promise
  }

  #start(): HelperShell {
    const shell = spawn('/bin/sh', ['-c', LOOP], {
      // The shell looks for programs in the folders of the system: no other tar or cp may handle the files.
      env: { LC_ALL: 'C' },
      // Signals for the server's group would end it before the last files are written.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore']
    })
    const end = () => {
      if (this.#shell === shell) this.#shell = undefined
      for (const answer of this.#answers.splice(0)) answer.resolve(undefined)
    }
    shell.on('error', end).on('exit', code => {
      this.#isImpossible = code === NOT_GNU
      end()
    })
    shell.stdin.on('error', end)
    createInterface({ input: shell.stdout }).on('line', line => {
      this.#answers.shift()?.resolve(line)
      if (this.#answers.length === 0) this.#ref(false)
    })
    return shell
  }

  /** While it has an order, the shell keeps this process alive. */
  #ref(isWaiting: boolean) {
    const handles = [this.#shell, this.#shell?.stdin, this.#shell?.stdout] as (
      | { ref(): void; unref(): void }
      | undefined
    )[]
    for (const handle of handles) isWaiting ? handle?.ref() : handle?.unref()
  }
}
