// Edits the proposed text of a file beside its current text, and makes params of it.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Approval } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'
import type { WaitingCall } from '../store/approvals.ts'
import { TextBlock } from '../text/text-block.tsx'

type Params = Record<string, unknown>
type PreviewFile = NonNullable<Approval['files']>[number]

/** A file whose proposed text can be edited. */
interface EditableFile {
  path: string
  before_href: string | undefined
  after_href: string
  /** Returns the params with which the call makes this text of the current one. */
  toParams(before: string, after: string): Params
}

/** Returns undefined if the call changes several files, or if its params cannot describe any text of the file. */
export function findEditableFile({ approval, params }: WaitingCall): EditableFile | undefined {
  const [file, ...others] = approval.files ?? []
  if (!file || others.length > 0 || file.after_href === undefined || file.to !== undefined) return undefined
  const toParams = toParamsOf(file, (params ?? {}) as Params)
  return toParams && { path: file.path, before_href: file.before_href, after_href: file.after_href, toParams }
}

function toParamsOf({ before_href }: PreviewFile, params: Params): EditableFile['toParams'] | undefined {
  if (typeof params.content === 'string' && params.encoding !== 'base64')
    return (_before, after) => ({ ...params, content: after })
  // An edit replaces a text that exists.
  if (before_href === undefined) return undefined
  if (typeof params.old === 'string' && typeof params.new === 'string') {
    const { replace_all: _, ...rest } = params
    return (before, after) => ({ ...rest, old: before, new: after })
  }
  if (Array.isArray(params.edits)) return (before, after) => ({ ...params, edits: [{ old: before, new: after }] })
  return undefined
}

interface ProposedTextProps {
  file: EditableFile
  /** Called with the params of each text. */
  onChange: (params: Params) => void
}

export function ProposedText({ file, onChange }: ProposedTextProps) {
  const texts = useSignal<{ before: string; after: string } | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const load = (href: string | undefined) => (href === undefined ? Promise.resolve('') : client().previewText(href))
    Promise.all([load(file.before_href), load(file.after_href)]).then(
      ([before, after]) => {
        // A text field has one kind of line ends.
        if (/\r/.test(before + after)) fault.value = 'The file has line ends of Windows. Edit the params instead.'
        else texts.value = { before, after }
      },
      (error: unknown) => {
        fault.value = toErrorMessage(error)
      }
    )
  }, [file.after_href])
  if (!texts.value) return <ErrorNotice text={fault.value} />
  const { before, after } = texts.value
  return (
    <div class="proposed-text">
      <div>
        <h3>Current text</h3>
        <TextBlock text={before} label="Current text" />
      </div>
      <label class="field">
        Proposed text
        <textarea
          class="input mono"
          spellcheck={false}
          defaultValue={after}
          onInput={({ currentTarget }) => onChange(file.toParams(before, currentTarget.value))}
        />
      </label>
    </div>
  )
}
