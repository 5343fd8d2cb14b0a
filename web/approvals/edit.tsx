// Approving with other params: a form by the schema of the tool, then what the changed call would do, then the decision.
// So what is approved is what was seen, here too: the digest of what was asked holds the files to what they were.
import { useEffect, useState } from 'preact/hooks'
import { type DryRun, ToolgateError } from '../../src/client/client.ts'
import { Diff } from '../diff/diff.tsx'
import { Form } from '../form/form.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { client, whatFailed } from '../session/session.ts'
import { Dialog } from '../shell/dialog.tsx'
import type { Waiting } from '../store/approvals.ts'
import { approve } from './decide.ts'

export function EditDialog({ call, onClose }: { call: Waiting; onClose: () => void }) {
  const [form, setForm] = useState<Form>()
  const [shown, setShown] = useState<DryRun>()
  const [failure, setFailure] = useState<string>()
  const fail = (error: unknown) => setFailure(whatFailed(error))
  useEffect(() => {
    client()
      .tool(call.tool, { workspace: call.workspace })
      .then(({ input }) => setForm(new Form(input, call.params)))
      .catch(fail)
  }, [])

  async function preview() {
    if (!form || form.unfinished) return
    setFailure(undefined)
    const { session_id, workspace, agent } = call
    const more = { session_id, workspace, ...(agent !== undefined && { agent }) }
    try {
      setShown(await client().dryRun(call.tool, form.value.peek() as Record<string, unknown>, more))
    } catch (error) {
      if (error instanceof ToolgateError && error.problem?.errors) form.tell(error.problem.errors, '/params')
      else fail(error)
    }
  }

  function submit() {
    if (!form || !shown || shown.verdict.decision === 'deny') return
    onClose()
    void approve(call, {
      modified_params: form.value.peek() as Record<string, unknown>,
      ...(shown.verdict.decision === 'strict' && { confirm: true })
    })
  }

  return (
    <Dialog
      title={`Edit the params of ${call.tool}`}
      onClose={onClose}
      onSubmit={() => (shown ? submit() : void preview())}
    >
      <div class="inside">
        {failure !== undefined && (
          <p class="notice bad" role="alert">
            {failure}
          </p>
        )}
        {shown ? <Shown run={shown} /> : form && <SchemaForm form={form} label={`Params of ${call.tool}`} />}
        <div class="row end">
          <button class="button" type="button" onClick={shown ? () => setShown(undefined) : onClose}>
            Back
          </button>
          {shown ? (
            <button
              class="button primary"
              type="button"
              aria-disabled={shown.verdict.decision === 'deny'}
              onClick={submit}
            >
              Approve this
            </button>
          ) : (
            <button class="button primary" type="button" disabled={!form} onClick={preview}>
              Show what it would do
            </button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

const Shown = ({ run: { preview, verdict } }: { run: DryRun }) => (
  <>
    <h3>{preview?.title ?? 'It shows nothing beforehand.'}</h3>
    {verdict.decision === 'deny' ? (
      <p class="notice bad">Refused: {verdict.reason}</p>
    ) : (
      <p class="muted">{verdict.reason}</p>
    )}
    {preview?.notes?.map(note => (
      <p key={note} class="notice warn">
        {note}
      </p>
    ))}
    {preview?.text !== undefined && <pre class="code long">{preview.text}</pre>}
    {preview?.diff !== undefined && <Diff text={preview.diff} />}
  </>
)
