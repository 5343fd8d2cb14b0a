/** What went wrong, told at once to whoever hears the page; nothing where nothing did. */
export const ErrorNotice = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p class="notice bad" role="alert">
      {text}
    </p>
  )
