/**
 * What is changed in the style of Swagger UI, as the browser gets it: colours that can be read (4.5 to 1, WCAG 1.4.3), less empty
 * space, and nothing wider than a narrow window.
 */
export const SWAGGER_STYLE = `html {
  --get: #1f66b8;
  --post: #1a7a4c;
  --put: #9a5700;
  --patch: #0b736e;
  --delete: #c22b2b;
  --other: #6741c2;
  --go: #1a7a4c;
  --badge-text: #fff;
}

html.dark-mode {
  --get: #7ab8ff;
  --post: #4fd08f;
  --put: #ffb454;
  --patch: #5ad1c5;
  --delete: #ff8a8a;
  --other: #b8a1ff;
  --go: #4fd08f;
  --badge-text: #14181a;
}

.swagger-ui .info {
  margin: 28px 0 12px;
}

.swagger-ui .info .title,
.swagger-ui .opblock-tag,
.swagger-ui .renderedMarkdown {
  overflow-wrap: anywhere;
}

.swagger-ui .renderedMarkdown pre {
  overflow-x: auto;
}

/* it is in the bar */
.swagger-ui .info hgroup.main > a,
.swagger-ui .info .main > .link {
  display: none;
}

.swagger-ui .info .title small {
  background: #5c6470;
}

.swagger-ui .info .title small.version-stamp {
  background: #3f6d00;
}

.swagger-ui .info a,
.swagger-ui .renderedMarkdown a {
  color: var(--link);
}

.swagger-ui .scheme-container {
  margin: 0 0 12px;
  padding: 16px 0;
}

.swagger-ui .opblock-tag {
  padding: 10px 0;
}

.swagger-ui .opblock .opblock-summary-method {
  min-width: 76px;
  background: var(--other);
  color: var(--badge-text);
  text-shadow: none;
}

.swagger-ui .opblock.opblock-get .opblock-summary-method {
  background: var(--get);
}

.swagger-ui .opblock.opblock-post .opblock-summary-method {
  background: var(--post);
}

.swagger-ui .opblock.opblock-put .opblock-summary-method {
  background: var(--put);
}

.swagger-ui .opblock.opblock-patch .opblock-summary-method {
  background: var(--patch);
}

.swagger-ui .opblock.opblock-delete .opblock-summary-method {
  background: var(--delete);
}

/* deprecated is said and struck through: it need not be hard to read too */
.swagger-ui .opblock.opblock-deprecated {
  opacity: 1;
}

.swagger-ui .opblock.opblock-deprecated .opblock-summary-method {
  background: #5c6470;
  color: #fff;
}

.swagger-ui .btn.authorize,
.swagger-ui .auth-btn-wrapper .btn.modal-btn.authorize {
  border-color: var(--go);
  color: var(--go);
}

.swagger-ui .btn.authorize svg {
  fill: var(--go);
}

.swagger-ui .btn.execute {
  border-color: var(--get);
  background: var(--get);
  color: var(--badge-text);
}

.swagger-ui .btn.cancel,
html.dark-mode .swagger-ui .opblock .btn.try-out__btn.cancel {
  border-color: var(--delete);
  color: var(--delete);
}

.swagger-ui .download-contents,
.swagger-ui .copy-to-clipboard {
  background: #5c6470;
}

html.dark-mode .swagger-ui .opblock.opblock-put .opblock-section-header {
  background: #3d261b;
}

html:not(.dark-mode) .swagger-ui .json-schema-2020-12__constraint--string {
  background: #865800;
}

/* the colour of numbers in code, which is set on each of them */
.swagger-ui .microlight span[style*='211, 99, 99'] {
  color: #ff9d9d !important;
}

.swagger-ui .parameter__in,
.swagger-ui .parameter__deprecated,
.swagger-ui .response-undocumented i,
.swagger-ui .json-schema-2020-12-expand-deep-button,
.swagger-ui .prop-format {
  color: var(--quiet);
}

.swagger-ui .parameter__name.required::after,
.swagger-ui .parameter__name.required span {
  color: var(--delete);
}

.swagger-ui .microlight,
.swagger-ui .highlight-code,
.swagger-ui .curl-command,
.swagger-ui .model-box,
.swagger-ui .table-container,
.swagger-ui .response-col_description {
  max-width: 100%;
  overflow-x: auto;
}

.swagger-ui :focus-visible {
  outline: 2px solid var(--link);
  outline-offset: 2px;
}

@media (max-width: 640px) {
  .swagger-ui .wrapper {
    padding: 0 12px;
  }

  .swagger-ui .info .title {
    font-size: 26px;
  }

  .swagger-ui .opblock .opblock-summary-description {
    flex-basis: 100%;
  }

  /* the buttons that copy and save are below the text, not on it */
  .swagger-ui .live-responses-table .highlight-code > .microlight {
    padding-bottom: 48px !important;
  }

  .swagger-ui .opblock .opblock-section-header {
    flex-wrap: wrap;
    gap: 8px;
  }

  .swagger-ui .opblock .opblock-section-header .btn {
    min-width: 0;
    padding: 5px 14px;
  }

  .swagger-ui .opblock .opblock-body select,
  .swagger-ui .parameters-col_description input[type='text'],
  .swagger-ui .parameters-col_description select {
    width: 100%;
    min-width: 0;
  }
}
`
