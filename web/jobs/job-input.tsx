// Input to a job, one line at a time.
import { useSignal } from '@preact/signals'
import { client } from '../session/session.ts'

interface Props {
  id: string
  /** A terminal expects a carriage return at the end of a line. */
  hasTerminal: boolean
  onFault: (error: unknown) => void
}

export function JobInput({ id, hasTerminal, onFault }: Props) {
  const line = useSignal('')
  const send = async (input: { text: string; end?: boolean }) => {
    try {
      await client().sendInput(id, input)
      line.value = ''
    } catch (error) {
      onFault(error)
    }
  }
  return (
    <form
      class="row job-input"
      onSubmit={event => {
        event.preventDefault()
        void send({ text: `${line.peek()}${hasTerminal ? '\r' : '\n'}` })
      }}
    >
      <input
        type="text"
        class="input mono"
        aria-label="A line of input"
        placeholder="A line of input"
        autocomplete="off"
        spellcheck={false}
        value={line.value}
        onInput={({ currentTarget }) => {
          line.value = currentTarget.value
        }}
      />
      <button type="submit" class="button">
        Send
      </button>
      <button type="button" class="button quiet" onClick={() => void send({ text: '', end: true })}>
        End input
      </button>
    </form>
  )
}
