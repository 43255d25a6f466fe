/** The style of the page, as the browser gets it; that of Swagger UI is in a file of its own. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #fff;
  --text: #1d2327;
  --quiet: #57606a;
  --line: #d0d7de;
  --bar: #f6f8fa;
  --link: #0b5cad;
  --field: #fff;
}

@media (prefers-color-scheme: dark) {
  :root {
    --ground: #1c2022;
    --text: #e4e6e6;
    --quiet: #b7bcbf;
    --line: #454d51;
    --bar: #14181a;
    --link: #7cbcff;
    --field: #24292c;
  }
}

*,
*::before,
*::after {
  box-sizing: border-box;
}

html {
  background: var(--ground);
  /* what is jumped to is not below the bar */
  scroll-padding-top: 72px;
}

body {
  margin: 0;
  color: var(--text);
  font: 16px/1.5 system-ui, sans-serif;
}

[hidden] {
  display: none !important;
}

a {
  color: var(--link);
}

:focus-visible {
  outline: 2px solid var(--link);
  outline-offset: 2px;
}

.bar {
  position: sticky;
  top: 0;
  z-index: 10;
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 6px 20px;
  padding: 10px max(20px, (100% - 1420px) / 2);
  background: var(--bar);
  border-bottom: 1px solid var(--line);
}

.bar-title {
  flex: 1 1 auto;
  margin: 0;
  font-weight: 600;
  overflow-wrap: anywhere;
}

@media (max-width: 480px) {
  .bar {
    justify-content: space-between;
    padding-inline: 12px;
  }

  .bar-title {
    flex-basis: 100%;
  }
}

.bar-version {
  display: flex;
  align-items: center;
  gap: 8px;
}

.bar-version label {
  color: var(--quiet);
  font-size: 14px;
}

.bar-version select {
  min-width: 8em;
  max-width: 60vw;
  padding: 6px 10px;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--field);
  color: inherit;
  font: inherit;
  font-size: 14px;
}

.bar-links {
  display: flex;
  gap: 14px;
  font-size: 14px;
}

.state {
  margin: 20px max(20px, (100% - 1420px) / 2);
  color: var(--quiet);
}

.list {
  max-width: 640px;
  margin: 48px auto;
  padding: 0 20px;
  overflow-wrap: anywhere;
}

.list h1 {
  margin: 0 0 8px;
  font-size: 28px;
  line-height: 1.2;
}

.list ul {
  margin: 20px 0;
  padding: 0;
  list-style: none;
  border-top: 1px solid var(--line);
}

.list li {
  display: flex;
  gap: 16px;
  padding: 12px 0;
  border-bottom: 1px solid var(--line);
}

.list li span {
  flex: 1;
}

.hint {
  color: var(--quiet);
  font-size: 14px;
}

.list code {
  padding: 2px 5px;
  border-radius: 4px;
  background: var(--bar);
  font-family: ui-monospace, monospace;
  font-size: 0.92em;
}
`
